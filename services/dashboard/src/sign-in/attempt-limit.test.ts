import { type Attempt, createAttemptLimit, createMemoryCounter, maxAttempts } from './attempt-limit.ts'

const limitOf = () =>
  createAttemptLimit({ counter: createMemoryCounter(() => 0), hash: (text) => text, max: maxAttempts })

async function fail(limit: ReturnType<typeof limitOf>, attempts: readonly Attempt[]): Promise<boolean[]> {
  const allowed = []
  for (const attempt of attempts) allowed.push((await limit.begin(attempt)) === null)
  return allowed
}

const times = (count: number, attempt: (index: number) => Attempt) =>
  Array.from({ length: count }, (_, i) => attempt(i))

it('refuses the sixth failed attempt of one client at one address, with the seconds to wait', async () => {
  const limit = limitOf()
  const attempt = { address: 'a@x.example', client: '10.0.0.1' }
  expect(
    await fail(
      limit,
      times(6, () => attempt),
    ),
  ).toEqual([true, true, true, true, true, false])
  expect(await limit.begin(attempt)).toBe(600)
})

it('does not count refused attempts against others with the same client or the same address', async () => {
  const limit = limitOf()
  await fail(
    limit,
    times(1_000, () => ({ address: 'a@x.example', client: '10.0.0.1' })),
  )
  expect(await limit.begin({ address: 'b@x.example', client: '10.0.0.1' })).toBeNull()
  expect(await limit.begin({ address: 'a@x.example', client: '10.0.0.2' })).toBeNull()
})

it.each<[string, (index: number) => Attempt]>([
  ['one client at many addresses', (index) => ({ address: `${index}@x.example`, client: '10.0.0.1' })],
  ['many clients at one address', (index) => ({ address: 'a@x.example', client: `10.0.0.${index}` })],
  ['one client without an address', () => ({ address: null, client: '10.0.0.1' })],
])('allows 50 failed attempts of %s', async (_who, attempt) => {
  expect(await fail(limitOf(), times(51, attempt))).toEqual([...Array(50).fill(true), false])
})

it('does not count what succeeded, and forgets no failures of others by it', async () => {
  const limit = limitOf()
  const own = { address: 'a@x.example', client: '10.0.0.1' }
  for (let sent = 0; sent < 100; sent++) {
    expect(await limit.begin(own)).toBeNull()
    await limit.succeed(own)
  }
  await fail(
    limit,
    times(50, (index) => ({ address: own.address, client: `10.1.0.${index}` })),
  )
  await limit.succeed({ address: own.address, client: '10.1.0.1' })
  expect(
    await fail(
      limit,
      times(2, (index) => ({ ...own, client: `10.2.0.${index}` })),
    ),
  ).toEqual([true, false])
})
