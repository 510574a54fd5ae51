import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { eventually } from '@ratchet/testing/eventually'
import { claimPort } from './claim-port.ts'

/** Another process that claims the port, prints whether it got it, and runs until it is killed. */
async function otherClaim(port: number) {
  const module = JSON.stringify(path.join(import.meta.dirname, 'claim-port.ts'))
  const script = `import(${module}).then(({ claimPort }) => { console.log(claimPort(${port})); setInterval(() => {}, 1000) })`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [got] = (await once(child.stdout, 'data')) as [Buffer]
  return { got: got.toString().trim(), kill: () => child.kill('SIGKILL') }
}

it('belongs to one process at a time, until that ends', async () => {
  const port = await anyFreePort()
  const first = await otherClaim(port)
  expect([first.got, claimPort(port)]).toEqual(['true', false])
  first.kill()
  await eventually(() => expect(claimPort(port)).toBe(true))
  expect(claimPort(port)).toBe(true)
  const late = await otherClaim(port)
  expect(late.got).toBe('false')
  late.kill()
})

it('is claimed by exactly one of several processes that want it at once', async () => {
  const port = await anyFreePort()
  const claims = await Promise.all(Array.from({ length: 4 }, () => otherClaim(port)))
  expect(claims.filter(({ got }) => got === 'true')).toHaveLength(1)
  for (const { kill } of claims) kill()
})
