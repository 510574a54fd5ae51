import { type DedicatedRun, dedicatedRun } from './dedicated-run.fixture.ts'
import { requireRightCharges } from './right-charges.fixture.ts'

let run: DedicatedRun
beforeEach(async () => {
  run = await dedicatedRun({ jumps: true })
})
afterEach(() => run.drop())

/** Numbers in [0, 1), the same for a seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** What may happen to an endpoint, apart from nothing. */
const happenings = {
  async forward(random: () => number) {
    await run.jump(Math.floor(random() * 400))
  },
  async farForward(random: () => number) {
    await run.jump(Math.floor(random() * 4_000))
  },
  async back(random: () => number) {
    await run.jump(-Math.floor(random() * 1_500))
  },
  async kill(random: () => number) {
    const names = [...run.engines.started.keys()]
    const name = names[Math.floor(random() * names.length)]
    if (name !== undefined) await run.engines.stop(name, 'now')
  },
  async loseAnswer() {
    run.money.lostAnswers += 1
  },
  async ask() {
    for (const endpoint of await all()) await run.report(endpoint, { waiting: 1 })
  },
  async answer() {
    for (const endpoint of await all()) await run.report(endpoint, {})
  },
  async stop() {
    for (const endpoint of await all()) await run.endpoints.stop(endpoint, 'user')
  },
  async start() {
    for (const endpoint of await all()) await run.endpoints.start(endpoint)
  },
}

let workspaceId = ''
const all = () => run.endpoints.list(workspaceId)

it.each([1, 2, 8, 10])(
  'charges each window once, and the seconds of replicas, with kills, lost answers and a clock that jumps (%s)',
  async (seed) => {
    const random = randomOf(seed)
    const endpoint = await run.create({ minReplicas: 1, maxReplicas: 2 })
    workspaceId = endpoint.workspaceId
    const names = Object.keys(happenings) as (keyof typeof happenings)[]
    for (let step = 0; step < 60; step += 1) {
      if (random() < 0.5) await run.pass()
      else await happenings[names[Math.floor(random() * names.length)] ?? 'forward'](random)
    }
    await run.endpoints.stop(endpoint, 'delete')
    for (let pass = 0; pass < 4; pass += 1) {
      await run.jump(10)
      await run.pass(2)
    }
    expect(await run.endpoints.get(endpoint)).toBeNull()
    expect(run.money.held()).toBe(0n)
    expect(run.money.charged()).toBeGreaterThan(0n)
    await requireRightCharges(run)
  },
  60_000,
)
