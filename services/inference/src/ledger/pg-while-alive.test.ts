import type { Pool } from '@ratchet/db/connect-pool'
import { whileAlive } from './pg-while-alive.ts'

const silenceMs = 250
const answering = { query: async () => ({ rows: [] }) } as unknown as Pool
const frozen = { query: () => new Promise(() => {}) } as unknown as Pool
const after = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value))

describe('whileAlive', () => {
  it('waits for a long statement of a database that answers others', async () => {
    expect(await whileAlive(answering, after(600, 'done'), { silenceMs, maxMs: 5_000 })).toBe('done')
  })

  it('fails after the configured silence of the database', async () => {
    const startedMs = performance.now()
    await expect(whileAlive(frozen, new Promise(() => {}), { silenceMs, maxMs: 5_000 })).rejects.toThrow(
      'did not answer',
    )
    expect(performance.now() - startedMs).toBeLessThan(1_000)
  })

  it('does not wait longer than the maximum', async () => {
    await expect(whileAlive(answering, new Promise(() => {}), { silenceMs, maxMs: 300 })).rejects.toThrow(
      'did not answer',
    )
  })

  it('passes on an error of the statement itself', async () => {
    await expect(
      whileAlive(answering, Promise.reject(new Error('no such table')), { silenceMs, maxMs: 5_000 }),
    ).rejects.toThrow('no such')
  })
})
