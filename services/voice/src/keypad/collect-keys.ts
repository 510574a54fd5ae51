/** How keys of a telephone become a turn of the caller. */
export interface KeypadSettings {
  /** Key that ends an entry at once; null: only the pause does. */
  readonly finishOn: string | null
  /** Pause after the last key that ends an entry. */
  readonly timeoutMs: number
}

export interface KeypadState {
  readonly keys: string
  readonly lastMs: number
}

export const newKeypad: KeypadState = { keys: '', lastMs: 0 }

/** Longest entry: one that fills it ends at once. */
export const maxKeys = 64

interface Step {
  readonly state: KeypadState
  /** The keys of an entry that is complete, with the one that ended it; null: none is. */
  readonly entry: string | null
}

/** A key was pressed. */
export function pressKey(state: KeypadState, key: string, atMs: number, { finishOn }: KeypadSettings): Step {
  const keys = state.keys + key
  if (key === finishOn || keys.length >= maxKeys) return { state: newKeypad, entry: keys }
  return { state: { keys, lastMs: atMs }, entry: null }
}

/** Time passed. */
export function passKeypadTime(state: KeypadState, atMs: number, { timeoutMs }: KeypadSettings): Step {
  if (state.keys === '' || atMs - state.lastMs < timeoutMs) return { state, entry: null }
  return { state: newKeypad, entry: state.keys }
}

/** The entry as a turn of the caller in the conversation. */
export function keypadTurn(entry: string): string {
  return `[keypad] ${entry}`
}
