import type { KeyCommand } from './commands.ts'

/** What a person changed about keys. */
export interface KeyPreferences {
  /** Whether commands of single letters work. */
  readonly single_keys: boolean
  /** Keys by command, where changed; empty for a command without a key. */
  readonly shortcuts: Readonly<Record<string, string>>
}

export interface KeyBinding extends KeyCommand {
  /** The keys that work now; null when the command has none. */
  readonly active: string | null
}

/** Which keys do what, after the changes of a person. */
export function bindingsOf(commands: readonly KeyCommand[], { single_keys, shortcuts }: KeyPreferences): KeyBinding[] {
  return commands.map((command) => {
    const keys = shortcuts[command.id] ?? command.keys
    const isOff = keys === '' || (!single_keys && isSingleKey(keys))
    return { ...command, active: isOff ? null : keys }
  })
}

/**
 * The commands by their keys, longer sequences first. Pages use the same key for different things, so keys can have several
 * commands; and the first keys that match get a press, so `p` would keep `g p` from working if it came before.
 */
export function commandsByKeys(bindings: readonly KeyBinding[]): readonly (readonly [string, readonly KeyBinding[]])[] {
  const groups = Map.groupBy(
    bindings.filter(({ active }) => active !== null),
    ({ active }) => active as string,
  )
  const presses = (keys: string) => keys.split(' ').length
  return [...groups].sort(([a], [b]) => presses(b) - presses(a))
}

/** Whether keys are letters, digits or signs without a modifier, which speech input and screen readers press by mistake. */
export function isSingleKey(keys: string): boolean {
  return keys.split(' ').every((press) => /^(Shift\+)?.$/u.test(press))
}

/**
 * Commands that a person gave the same keys as another of `bindings` has, by id. A sequence conflicts with its own beginning
 * too. Commands that share their usual keys are of different pages, and do not conflict.
 */
export function conflictsOf(bindings: readonly KeyBinding[]): ReadonlyMap<string, readonly string[]> {
  const used = bindings.filter(({ active }) => active !== null)
  const conflicts = used.map((binding) => {
    const others = used.filter((other) => other.id !== binding.id && conflict(binding, other))
    return [binding.id, others.map((other) => other.id)] as const
  })
  return new Map(conflicts.filter(([, others]) => others.length > 0))
}

function conflict(a: KeyBinding, b: KeyBinding): boolean {
  const areUsual = a.active === a.keys && b.active === b.keys
  return !areUsual && overlaps(a.active as string, b.active as string)
}

function overlaps(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b} `) || b.startsWith(`${a} `)
}

const names: Record<string, string> = { Escape: 'Esc', Enter: '↵', ArrowUp: '↑', ArrowDown: '↓' }

/** Keys as they are shown, one text per key cap; the outer list is a sequence. */
export function keyCaps(keys: string, isMac: boolean): readonly (readonly string[])[] {
  return keys.split(' ').map((press) => {
    const parts = press === '+' ? ['+'] : press.split('+')
    // `?` and the like are typed with Shift on most keyboards; the sign alone says it.
    const shown =
      parts.length === 2 && parts[0] === 'Shift' && /^[^A-Za-z0-9]$/.test(parts[1] ?? '') ? parts.slice(1) : parts
    return shown.map((part) => (part === '$mod' ? (isMac ? '⌘' : 'Ctrl') : (names[part] ?? part)))
  })
}

/** The keys of a pressed event, as a binding; null while only modifiers are held. */
export function keysOfPress(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): string | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  if (['Control', 'Meta', 'Alt', 'Shift', 'AltGraph', 'Dead'].includes(key)) return null
  const modifiers = [ctrlKey || metaKey ? '$mod' : '', altKey ? 'Alt' : '', shiftKey ? 'Shift' : '']
  return [...modifiers.filter((part) => part !== ''), key.length === 1 ? key.toLowerCase() : key].join('+')
}
