import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { eventually } from '@ratchet/testing/eventually'

const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

/** Runs the services of the fixture; resolves with their process and what it logs. */
function run(...args: readonly string[]) {
  const fixture = path.join(import.meta.dirname, 'run-services.fixture.ts')
  const child = spawn(process.execPath, [fixture, ...args], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  const messages: string[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => messages.push(JSON.parse(line).msg))
  const ended = Promise.all([once(child, 'close'), once(lines, 'close')]).then(([exit]) => exit)
  return { child, messages, ended }
}

it('starts all services, and stops workers before the APIs that they call', async () => {
  const { child, messages, ended } = run()
  await eventually(() => expect(messages).toContain('ready'))
  expect(messages).toEqual(expect.arrayContaining(['api: ready', 'worker: ready', 'broken: ready']))
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  const stopping = messages.filter((message) => message.endsWith(': stopping'))
  expect(stopping.toSorted()).toEqual(['api: stopping', 'broken: stopping', 'worker: stopping'])
  expect(stopping.at(-1)).toBe('api: stopping')
})

it('ends when one service cannot start, and stops the others', async () => {
  const { messages, ended } = run('broken')
  expect(await ended).toEqual([1, null])
  expect(messages).toEqual(expect.arrayContaining(['failed', 'api: stopping', 'worker: stopping']))
})
