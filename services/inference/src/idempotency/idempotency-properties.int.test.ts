import { auditLedger } from '@ratchet/db/audit-ledger'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { costNano, type KeyedRequestsReport, runKeyedRequests, startNano } from './keyed-requests.fixture.ts'
import { type IdempotencyStatements, idempotencyStatements } from './pg-idempotency-statements.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())

const keys = 5

function violationsOf({ answers, postedRequests, balanceNano, heldNano, usedTwice }: KeyedRequestsReport): string[] {
  const manyAnswers = [...answers.values()].filter(({ size }) => size !== 1).length
  const due = startNano - BigInt(keys) * costNano
  return [
    ...(answers.size === keys ? [] : [`${keys - answers.size} keys were never answered`]),
    ...(manyAnswers === 0 ? [] : [`${manyAnswers} keys were answered in more than one way`]),
    ...(postedRequests === keys ? [] : [`${postedRequests} requests of ${keys} keys were charged`]),
    ...(balanceNano === due ? [] : [`the balance is ${balanceNano - due} off`]),
    ...(heldNano === 0n ? [] : [`${heldNano} are held for ever`]),
    ...(usedTwice === 0 ? [] : [`${usedTwice} billing ids were used twice`]),
  ]
}

const seeds = Array.from({ length: 12 }, (_, index) => index + 1)

it('lets leases expire under processes that continue', async () => {
  // One run after the other: the connections of all of them at once are too many for a busy machine.
  let lost = 0
  for (const seed of seeds) {
    if (lost === 0) lost = (await runKeyedRequests({ database, seed, keys, rounds: 2 })).lost
  }
  expect(lost).toBeGreaterThan(0)
}, 60_000)

it.each(seeds)(
  'gives one answer to every key and charges it once, at whatever step processes are killed (seed %d)',
  async (seed) => {
    const report = await runKeyedRequests({ database, seed, keys, rounds: 8 })
    expect(violationsOf(report)).toEqual([])
    expect((await auditLedger(database.operator)).violations).toEqual([])
  },
  60_000,
)

it.each([
  ['the claim still belongs to the process that records an answer', { record: / AND r\.generation = t\.generation/ }],
  ['that an answered key is not claimed again', { claim: /r\.state = 'running' AND r\.lease_until <= now\(\) AND / }],
] as const)(
  'finds the fault when no statement checks %s',
  async (_, mutation) => {
    const statements = without(mutation)
    const found: string[] = []
    for (const seed of seeds) {
      if (found.length === 0)
        found.push(...violationsOf(await runKeyedRequests({ database, seed, keys, rounds: 8, statements })))
    }
    expect(found).not.toEqual([])
  },
  120_000,
)

function without(guards: Partial<Record<keyof IdempotencyStatements, RegExp>>): IdempotencyStatements {
  const changed = Object.entries(guards).map(([name, guard]) => {
    const text = idempotencyStatements[name as keyof IdempotencyStatements]
    if (!guard.test(text)) throw new Error(`${name} has no ${guard}`)
    return [name, text.replace(guard, '')]
  })
  return { ...idempotencyStatements, ...Object.fromEntries(changed) }
}
