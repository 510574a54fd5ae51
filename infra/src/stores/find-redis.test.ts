import type { Machine } from '../processes/install-program.ts'
import { findRedis } from './find-redis.ts'

/** A fake machine with these programs; an installation adds one. */
function machine(
  programs: Record<string, string>,
  options: { isRoot?: boolean; install?: string; fails?: boolean } = {},
) {
  const ran: string[] = []
  const fake: Machine = {
    isRoot: options.isRoot ?? false,
    which: (name) => programs[name] ?? null,
    async run(command, args) {
      if (args[0] === '--version') return { ok: true, output: `${command} v=${programs.version ?? '7.0.15'} sha=0` }
      ran.push([command, ...args].join(' '))
      if (options.install !== undefined) programs['redis-server'] = options.install
      return { ok: options.fails !== true, output: 'E: Unable to locate package' }
    },
  }
  return { fake, ran }
}

const ignore = () => undefined

it('uses redis-server from the PATH and installs nothing', async () => {
  const { fake, ran } = machine({ 'redis-server': '/usr/bin/redis-server', 'apt-get': '/usr/bin/apt-get' })
  expect(await findRedis(ignore, fake)).toBe('/usr/bin/redis-server')
  expect(ran).toEqual([])
})

it('uses valkey-server when there is no redis-server', async () => {
  const { fake } = machine({ 'valkey-server': '/usr/bin/valkey-server' })
  expect(await findRedis(ignore, fake)).toBe('/usr/bin/valkey-server')
})

it('reports an installation, then installs with apt-get as root', async () => {
  const said: string[] = []
  const { fake, ran } = machine({ 'apt-get': '/usr/bin/apt-get' }, { isRoot: true, install: '/usr/bin/redis-server' })
  expect(await findRedis((text) => said.push(text), fake)).toBe('/usr/bin/redis-server')
  expect(said).toEqual(['Redis is not installed; installing it with apt-get'])
  expect(ran.at(-1)).toContain('install -y --no-install-recommends redis-server')
})

it('uses sudo without asking for a password', async () => {
  const { fake, ran } = machine({ 'apt-get': 'x', sudo: 'x' }, { install: '/usr/bin/redis-server' })
  await findRedis(ignore, fake)
  expect(ran.every((command) => command.startsWith('sudo -n '))).toBe(true)
})

it('installs with Homebrew', async () => {
  const { fake, ran } = machine({ brew: '/opt/homebrew/bin/brew' }, { install: '/opt/homebrew/bin/redis-server' })
  expect(await findRedis(ignore, fake)).toBe('/opt/homebrew/bin/redis-server')
  expect(ran).toEqual(['/opt/homebrew/bin/brew install --quiet redis'])
})

it.each([
  ['nothing can be installed', machine({})],
  ['apt-get exists but we are not root', machine({ 'apt-get': 'x' })],
  ['the installation fails', machine({ 'apt-get': 'x' }, { isRoot: true, fails: true })],
  ['the installation provides no server', machine({ brew: 'x' })],
  ['the server is too old', machine({ 'redis-server': 'x', version: '5.0.1' })],
])('throws an error with advice when %s', async (_case, { fake }) => {
  await expect(findRedis(ignore, fake)).rejects.toThrow(/Install redis-server \(or valkey-server\)/)
})
