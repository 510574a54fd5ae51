import { eventually } from '@ratchet/testing/eventually'
import { identify } from './process-identity.ts'
import { runProgram } from './run-program.ts'

const never = new AbortController().signal
const sleeper = 'setInterval(() => {}, 1000)'

function node(script: string, timeoutMs = 20_000) {
  return runProgram({ command: process.execPath, args: ['-e', script], signal: never, timeoutMs })
}

it('returns success or failure, and the output', async () => {
  expect(await node("console.log('fine')")).toEqual({ ok: true, output: 'fine\n' })
  expect(await node("console.error('broken'); process.exit(2)")).toEqual({ ok: false, output: 'broken\n' })
})

it('fails with a message for a program that does not exist', async () => {
  const result = await runProgram({ command: '/nowhere/at-all', args: [], signal: never, timeoutMs: 1_000 })
  expect(result).toMatchObject({ ok: false, output: expect.stringContaining('ENOENT') })
})

it('ends a program that exceeds its time limit, and reports it', async () => {
  const { ok, output } = await node(sleeper, 300)
  expect(ok).toBe(false)
  expect(output).toContain('still running after 0.3 s; ended')
})

it('ends a server that the program left running in another process group', async () => {
  const server = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(sleeper)}], { detached: true, stdio: 'ignore' })`
  const interrupted = new AbortController()
  const { ok, output } = await runProgram({
    command: process.execPath,
    args: ['-e', `console.log((${server}).pid); ${sleeper}`],
    signal: interrupted.signal,
    timeoutMs: 20_000,
    onOutput: () => interrupted.abort(),
  })
  expect(ok).toBe(false)
  await eventually(() => expect(identify(Number(output.trim()))).toBeNull())
})
