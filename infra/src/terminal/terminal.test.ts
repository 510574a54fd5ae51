import { createTerminal, formatSeconds } from './terminal.ts'

function recording() {
  const written: string[] = []
  let time = 0
  const terminal = createTerminal({ write: (text) => written.push(text), now: () => time })
  const pass = (ms: number) => {
    time += ms
  }
  return { terminal, text: () => written.join(''), pass }
}

it('shows a step on one line with its time and its result', async () => {
  const { terminal, text, pass } = recording()
  const result = await terminal.step(
    'migrations',
    async () => pass(1_240),
    () => '2 applied',
  )
  expect(text()).toBe('▸ migrations … 1.2 s, 2 applied\n')
  expect(result).toBeUndefined()
})

it('repeats the title of a step when other lines were printed meanwhile', async () => {
  const { terminal, text } = recording()
  await terminal.step('services', async () => terminal.line('edge │ ready'))
  expect(text()).toBe('▸ services … \nedge │ ready\n▸ services … 0.0 s\n')
})

it('shows that a step failed and rethrows the error', async () => {
  const { terminal, text } = recording()
  const failing = terminal.step('postgres', () => Promise.reject(new Error('no disk')))
  await expect(failing).rejects.toThrow('no disk')
  terminal.line('next')
  expect(text()).toBe('▸ postgres … failed\nnext\n')
})

it.each([
  [0, '0.0 s'],
  [9_949, '9.9 s'],
  [9_950, '10 s'],
  [119_499, '119 s'],
  [200_000, '3 min 20 s'],
])('formats %d ms', (ms, text) => {
  expect(formatSeconds(ms)).toBe(text)
})
