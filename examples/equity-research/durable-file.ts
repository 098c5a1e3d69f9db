/**
 * Writes a file so that a reader, or a process killed at any moment, finds either the old content or the new, whole.
 * Knows nothing of reports.
 */
import { mkdir, open, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Replaces the content of `path`; writing the same content again changes nothing. Makes missing directories.
 *
 * The temporary file has one fixed name per target and lies in the same directory (a rename is atomic only within a
 * file system): what a kill leaves behind is overwritten and renamed away by the next try instead of piling up.
 */
export async function writeFileDurably(path: string, content: string): Promise<void> {
  const directory = dirname(path);
  const temporary = join(directory, `.${basename(path)}.tmp`);
  await mkdir(directory, { recursive: true });
  const file = await open(temporary, 'w');
  try {
    await file.writeFile(content, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncDirectory(directory);
}

/** Without this the new name may be lost in a power cut although the content is safe. */
async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot open a directory for this, and needs no such step.
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
