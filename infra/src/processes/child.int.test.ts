import { execFileSync } from 'node:child_process'
import { eventually } from '@ratchet/testing/eventually'

const childModule = new URL('./child.ts', import.meta.url).href

/** Starts a child that would run for a minute, prints its id and exits at once. */
const program = `
import { startChild } from ${JSON.stringify(childModule)}
const child = await startChild({
  name: 'sleeper', command: 'sleep', args: ['60'], env: process.env, isReady: async () => true,
  readyTimeoutMs: 5_000, stopSignal: 'SIGTERM', stopTimeoutMs: 5_000,
})
process.stdout.write(String(child.pid), () => process.exit(0))
`

it('stops a child when the process that started it exits', async () => {
  const pid = Number(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }))
  expect(pid).toBeGreaterThan(1)
  await eventually(() => !isRunning(pid))
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
