import { promptSkeleton } from './prompt-skeleton.ts'
import { createSkeletonReader, type SkeletonReader } from './skeleton-reader.ts'

const stops: (() => unknown)[] = []
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())))

const reader = (
  limits: { readonly maxWaitMs?: number; readonly maxWaitingOfWorkspace?: number } = {},
): SkeletonReader =>
  createSkeletonReader({ onStop: (stop) => stops.push(stop), maxWaitMs: 60_000, maxWaitingOfWorkspace: 100, ...limits })

/** Costs the most of all texts that were tried: 0.3 s for 120,000 characters when all of it was read. */
const costly = (seed: number) =>
  Array.from({ length: 40_000 }, (_, at) => `${String.fromCharCode(0x4e00 + ((at * 7919 + seed) % 2_000))}文。`).join(
    '',
  )

it.each([
  ['a short prompt', 'You answer questions about invoices. Be brief.'],
  ['a long prompt', `${'Rules apply to each answer. '.repeat(400)} Be kind to Ann.`],
])('reads what the miner would read of %s', async (_case, text) => {
  const [read, own] = [await reader().read({ workspaceId: 'a', text }), promptSkeleton(text)]
  expect({
    ...read,
    label: read.label(),
    taskKeys: read.taskKeys(),
    frames: read.frames(),
    ownerKey: read.ownerKey(),
    lines: read.lines(),
    parts: read.parts(),
  }).toEqual({
    ...own,
    label: own.label(),
    taskKeys: own.taskKeys(),
    frames: own.frames(),
    ownerKey: own.ownerKey(),
    lines: own.lines(),
    parts: own.parts(),
  })
})

it('leaves the event loop free while it reads long prompts', async () => {
  const skeletons = reader()
  const texts = Array.from({ length: 12 }, (_, seed) => costly(seed))
  await skeletons.read({ workspaceId: 'a', text: costly(12) })
  let longestMs = 0
  let last = performance.now()
  const ticks = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - last)
    last = performance.now()
  }, 1)
  await Promise.all(texts.map((text) => skeletons.read({ workspaceId: 'a', text })))
  clearInterval(ticks)
  expect(longestMs).toBeLessThan(100)
})

it('reads the prompt of another workspace next, however many one has', async () => {
  const skeletons = reader()
  const order: string[] = []
  const read = async (workspaceId: string, text: string) => {
    await skeletons.read({ workspaceId, text })
    order.push(workspaceId)
  }
  await Promise.all([...Array.from({ length: 10 }, (_, seed) => read('many', costly(seed))), read('one', costly(99))])
  expect(order.indexOf('one')).toBeLessThanOrEqual(1)
})

it('refuses more prompts of a workspace than may wait, and reads those of others', async () => {
  const skeletons = reader({ maxWaitingOfWorkspace: 2 })
  const reads = Array.from({ length: 6 }, (_, seed) => skeletons.read({ workspaceId: 'many', text: costly(seed) }))
  const other = skeletons.read({ workspaceId: 'one', text: costly(9) })
  const outcomes = await Promise.allSettled(reads)
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(3)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'service_unavailable' })
  }
  expect((await other).units.length).toBeGreaterThan(0)
})
