// A labelled list of alternatives.

export function Choice<T extends string>(props: { label: string; options: [T, string][]; value: T; onChoice: (value: T) => void }) {
  return (
    <label class="sc-choice">
      <span>{props.label}</span>
      <select
        value={props.value}
        data-testid={`scene-${props.label.split(" ").at(-1)}`}
        onChange={(event) => props.onChoice(event.currentTarget.value as T)}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
