import type { Pool } from '@ratchet/db/connect-pool'
import { LedgerUnavailable } from './ledger.ts'
import { runStatement } from './pg-run-statement.ts'

const statement = { name: 'some', text: 'SELECT 1', values: [], timeoutMs: 100 }
const failure = (code: string) => Object.assign(new Error(`SQLSTATE ${code}`), { code, severity: 'ERROR' })
const socketFailure = (code: string) => Object.assign(new Error(code), { code })

/** A pool whose statements return the next of `answers`; errors are thrown. */
function scriptedPool(answers: unknown[]): { pool: Pool; released: unknown[] } {
  const released: unknown[] = []
  const client = {
    on: () => undefined,
    off: () => undefined,
    release: (error: unknown) => released.push(error),
    query: async ({ name }: { name?: string }) => {
      if (name === undefined) return { rows: [] } // the connection's settings
      const answer = answers.shift()
      if (answer instanceof Error) throw answer
      return { rows: [answer] }
    },
  }
  return { pool: { connect: async () => client } as unknown as Pool, released }
}

it.each(['40P01', '40001'])('runs again after %s, which leaves no effect', async (code) => {
  const { pool, released } = scriptedPool([failure(code), failure(code), 'row'])
  expect(await runStatement(pool, statement)).toEqual(['row'])
  expect(released).toEqual([undefined, undefined, undefined])
})

it('fails when a deadlock repeats', async () => {
  const { pool } = scriptedPool(Array.from({ length: 10 }, () => failure('40P01')))
  await expect(runStatement(pool, statement)).rejects.toMatchObject({ name: 'LedgerUnavailable', uncertain: false })
})

it.each([
  ['a lost connection', new Error('Connection terminated unexpectedly'), true],
  ['a frozen server', new Error('Query read timeout'), true],
  ['a server that stops', failure('57P01'), true],
  ['a server that crashes', failure('57P02'), true],
  ['a reset', socketFailure('ECONNRESET'), true],
  ['a broken pipe', socketFailure('EPIPE'), true],
  ['a cancelled statement', failure('57014'), false],
  ['a full disk', failure('53100'), false],
  ['a lock that does not come free', failure('55P03'), false],
])('states after %s whether the statement may have committed', async (_, error, uncertain) => {
  const { pool, released } = scriptedPool([error])
  await expect(runStatement(pool, statement)).rejects.toMatchObject({
    name: 'LedgerUnavailable',
    uncertain,
    cause: error,
  })
  expect(released).toEqual([uncertain ? error : undefined])
})

it('states that nothing happened when there is no connection', async () => {
  const cause = socketFailure('ECONNREFUSED')
  const pool = { connect: () => Promise.reject(cause) } as unknown as Pool
  await expect(runStatement(pool, statement)).rejects.toMatchObject({
    name: 'LedgerUnavailable',
    uncertain: false,
    cause,
  })
})

it.each(['23514', '22P02', '42P01'])('passes on %s unchanged, because it is a bug and not an outage', async (code) => {
  const error = failure(code)
  const { pool } = scriptedPool([error])
  await expect(runStatement(pool, statement)).rejects.toBe(error)
  expect(error).not.toBeInstanceOf(LedgerUnavailable)
})
