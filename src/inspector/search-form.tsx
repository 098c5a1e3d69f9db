/** The search box of a list. */
interface SearchFormProps {
  readonly label: string;
  /** The text in an empty box; default: the label. */
  readonly hint?: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly maxLength?: number;
}

export function SearchForm({ label, hint = label, text, onText, maxLength }: SearchFormProps) {
  return (
    <form class="search" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        aria-label={label}
        placeholder={hint}
        maxLength={maxLength}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </form>
  );
}
