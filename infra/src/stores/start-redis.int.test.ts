import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { findRedis } from './find-redis.ts'
import { type RunningRedis, startRedis } from './start-redis.ts'

let folder: string
let running: RunningRedis | undefined

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ratchet-redis-'))
})
afterEach(async () => {
  await running?.stop()
  running = undefined
  rmSync(folder, { recursive: true, force: true })
})

/** Sends commands, and returns the first bytes of the answer. */
function ask(port: number, commands: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(commands))
    socket.once('data', (data) => {
      socket.destroy()
      resolve(data.toString())
    })
    socket.once('error', reject)
  })
}

async function start(password?: string): Promise<RunningRedis> {
  const program = await findRedis(() => undefined)
  const options = { program, folder: path.join(folder, 'with space'), port: await anyFreePort() }
  running = await startRedis(password === undefined ? options : { ...options, password })
  return running
}

it('answers only with the password, which no argument of the process shows', async () => {
  const { port, url, pid } = await start('pass-word_1')
  expect(url).toBe(`redis://:pass-word_1@127.0.0.1:${port}`)
  expect(await ask(port, 'GET a\r\n')).toMatch(/^-NOAUTH/)
  expect(await ask(port, 'AUTH guess\r\n')).toMatch(/^-WRONGPASS/)
  expect(await ask(port, 'AUTH pass-word_1\r\n')).toBe('+OK\r\n')
  expect(execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).toString()).not.toContain('pass-word_1')
})

it('has a limit of memory, and evicts nothing', async () => {
  const { port } = await start()
  expect(await ask(port, 'CONFIG GET maxmemory\r\n')).toContain(String(1024 ** 3))
  expect(await ask(port, 'CONFIG GET maxmemory-policy\r\n')).toContain('noeviction')
})

it('writes a folder and settings that only their owner can read', async () => {
  await start('pass-word_1')
  const redisFolder = path.join(folder, 'with space')
  expect(statSync(redisFolder).mode & 0o777).toBe(0o700)
  expect(readdirSync(redisFolder)).toContain('redis.conf')
  expect(statSync(path.join(redisFolder, 'redis.conf')).mode & 0o777).toBe(0o600)
})
