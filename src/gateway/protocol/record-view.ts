/** Records as the gateway shows them: pages without secrets. Types only, which import no package. */
export type {
  FindRecordsOptions,
  FoundRecord,
  FoundRecords,
  RecordKey,
  RecordPage,
  RecordsOptions,
  RecordView,
} from '../../actors/api/record-pages.ts';
