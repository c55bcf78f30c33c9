// A button with a menu, operated by mouse or keyboard.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface Item {
  id: string;
  title: string;
  /** Second line: explanation, or the reason why the entry is disabled. */
  note?: string | undefined;
  keys?: string | undefined;
  disabled?: boolean | undefined;
  checked?: boolean | undefined;
  run: () => void;
}

const MARGIN = 4; // pixels between a menu and the edge of the page

interface MenuProps {
  label: ComponentChildren;
  name: string;
  items: (Item | "line")[];
  empty?: string;
}

export function Menu({ label, name, items, empty }: MenuProps) {
  const open = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  function entries(): HTMLElement[] {
    return [...(root.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
  }

  function close(backend: boolean): void {
    open.value = false;
    if (backend) button.current?.focus();
  }

  useLayoutEffect(() => {
    if (!open.value) return;
    const list = root.current!.querySelector<HTMLElement>('[role="menu"]')!;
    const hidden = list.getBoundingClientRect().right + MARGIN - document.documentElement.clientWidth;
    if (hidden > 0) list.style.translate = `${-hidden}px`;
    entries()[0]?.focus();
    const outside = (event: PointerEvent): void => {
      if (!root.current?.contains(event.target as Node)) open.value = false;
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open.value]);

  function onKey(event: KeyboardEvent): void {
    if (!open.value) {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      open.value = true;
      return;
    }
    const all = entries();
    const here = all.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Escape") close(true);
    else if (event.key === "Tab") return close(false);
    else if (event.key === "ArrowDown") all[(here + 1) % all.length]?.focus();
    else if (event.key === "ArrowUp") all[(here - 1 + all.length) % all.length]?.focus();
    else if (event.key === "Home") all[0]?.focus();
    else if (event.key === "End") all.at(-1)?.focus();
    else if (event.key.length === 1 && /\w/.test(event.key)) {
      const turned = [...all.slice(here + 1), ...all.slice(0, here + 1)];
      turned.find((item) => item.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div class="sh-menu" ref={root} onKeyDown={onKey}>
      <button
        ref={button}
        type="button"
        class="sh-top"
        data-menu={name}
        aria-haspopup="menu"
        aria-expanded={open.value}
        onClick={() => (open.value = !open.value)}
      >
        {label}
      </button>
      {open.value ? (
        <div class="sh-items" role="menu" aria-label={name}>
          {items.length === 0 && empty ? <p class="sh-items-empty">{empty}</p> : null}
          {items.map((item, i) =>
            item === "line" ? (
              <div key={i} class="sh-items-line" role="separator" />
            ) : (
              <button
                key={item.id}
                type="button"
                role={item.checked === undefined ? "menuitem" : "menuitemradio"}
                aria-checked={item.checked}
                aria-disabled={item.disabled ? "true" : undefined}
                class="sh-item"
                data-item={item.id}
                tabIndex={-1}
                onClick={() => {
                  if (item.disabled) return;
                  close(true);
                  item.run();
                }}
              >
                <span class="sh-item-title">
                  {item.checked === undefined ? null : <span class="sh-check">{item.checked ? "\u2713" : ""}</span>}
                  {item.title}
                </span>
                {item.keys ? <kbd>{item.keys}</kbd> : null}
                {item.note ? <span class="sh-item-note">{item.note}</span> : null}
              </button>
            ),
          )}
        </div>
      ) : null}
    </div>
  );
}
