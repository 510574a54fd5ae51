import { keypadTurn, maxKeys, newKeypad, passKeypadTime, pressKey } from './collect-keys.ts'

const settings = { finishOn: '#', timeoutMs: 3_000 }

function press(keys: string, own = settings as { finishOn: string | null; timeoutMs: number }) {
  let state = newKeypad
  const entries: string[] = []
  for (const [i, key] of [...keys].entries()) {
    const step = pressKey(state, key, i * 100, own)
    state = step.state
    if (step.entry !== null) entries.push(step.entry)
  }
  return { state, entries }
}

it('ends an entry at the finishing key, after a pause, or when it is full', () => {
  expect(press('123#45#').entries).toEqual(['123#', '45#'])
  const { state, entries } = press('123')
  expect(entries).toEqual([])
  expect(passKeypadTime(state, 3_199, settings).entry).toBeNull()
  expect(passKeypadTime(state, 3_200, settings)).toEqual({ state: newKeypad, entry: '123' })
  expect(passKeypadTime(newKeypad, 9_000, settings).entry).toBeNull()
  expect(press('12#', { finishOn: null, timeoutMs: 3_000 }).entries).toEqual([])
  expect(press('1'.repeat(maxKeys)).entries).toEqual(['1'.repeat(maxKeys)])
  expect(keypadTurn('123#')).toBe('[keypad] 123#')
})
