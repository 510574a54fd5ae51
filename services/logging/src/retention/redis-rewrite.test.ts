import { type RewrittenRedis, rewriteAppendOnlyFile, rewrittenKey } from './redis-rewrite.ts'

/** A Redis with one key at most. */
function fakeRedis({ isDurable = true, refuses }: { isDurable?: boolean; refuses?: string }) {
  const commands: string[] = []
  let isSet = false
  const redis: RewrittenRedis = {
    info: async () => `# Persistence\r\nloading:0\r\naof_enabled:${isDurable ? 1 : 0}\r\n`,
    async set(key, _value, _unit, ms) {
      commands.push(`set ${key} ${ms}`)
      if (isSet) return null
      isSet = true
      return 'OK'
    },
    async del(key) {
      commands.push(`del ${key}`)
      isSet = false
    },
    async bgrewriteaof() {
      commands.push('bgrewriteaof')
      if (refuses !== undefined) throw new Error(refuses)
    },
  }
  return { redis, commands }
}

it('rewrites the file once in the time, however often it is called', async () => {
  const { redis, commands } = fakeRedis({})
  expect([await rewriteAppendOnlyFile(redis, 1_000), await rewriteAppendOnlyFile(redis, 1_000)]).toEqual([true, false])
  expect(commands.filter((command) => command === 'bgrewriteaof')).toHaveLength(1)
  expect(commands[0]).toBe(`set ${rewrittenKey} 1000`)
})

it('creates no file where there is none', async () => {
  const { redis, commands } = fakeRedis({ isDurable: false })
  expect(await rewriteAppendOnlyFile(redis, 1_000)).toBe(false)
  expect(commands).toEqual([])
})

it('tries again soon while another rewrite runs', async () => {
  const { redis, commands } = fakeRedis({ refuses: 'ERR Background append only file rewriting already in progress' })
  expect(await rewriteAppendOnlyFile(redis, 1_000)).toBe(false)
  expect(commands.at(-1)).toBe(`del ${rewrittenKey}`)
})

it('reports a Redis that does not allow it once in the time', async () => {
  const { redis } = fakeRedis({ refuses: "ERR unknown command 'BGREWRITEAOF'" })
  await expect(rewriteAppendOnlyFile(redis, 1_000)).rejects.toThrow('unknown command')
  expect(await rewriteAppendOnlyFile(redis, 1_000)).toBe(false)
})
