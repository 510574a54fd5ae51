import { randomUUID } from 'node:crypto'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { gradeKeyText, type NewLabel, type StoredLabel } from './label.ts'
import { type LabelDatabase, labelDatabase, newLabel } from './label-database.fixture.ts'
import type { LabelFilter } from './label-queries.ts'
import { createPgLabels } from './pg-labels.ts'
import { createPgSnapshots } from './pg-snapshots.ts'

let database: LabelDatabase
beforeAll(async () => {
  database = await labelDatabase()
})
afterAll(() => database?.drop())

const labels = () => createPgLabels(database.pool)
const everything = (workspaceId: string): LabelFilter => ({ workspaceId, includesSuperseded: true })
const all = (workspaceId: string) => labels().page(everything(workspaceId), { limit: 10_000, offset: 0 })
const always = { skipsKnown: false }

it('reads a grade as it was added, with its snapshot', async () => {
  const workspaceId = randomUUID()
  const sampling = { method: 'balanced', probability: 0.25, stratum: 'judged fail' }
  const label = newLabel({
    workspaceId,
    criterionId: randomUUID(),
    tag: 'chat',
    segment: 's1',
    sampling,
    rationale: 'é',
  })
  expect(await labels().add([label], always)).toEqual([{ kind: 'created', supersedes: false }])
  const stored = await labels().get({ workspaceId, id: label.id })
  const { snapshot, ...said } = label
  expect(stored).toEqual({ ...said, snapshotId: label.id, supersededBy: null })
  expect(await labels().get({ workspaceId: randomUUID(), id: label.id })).toBeNull()
  const found = await createPgSnapshots(database.pool).get(workspaceId, label.id)
  expect(found).toEqual({
    messages: [{ role: 'user', content: '2 + 2?' }],
    response: { role: 'assistant', content: 'Four.' },
    tools: null,
    model: 'acme/fast',
  })
  expect(await createPgSnapshots(database.pool).get(randomUUID(), label.id)).toBeNull()
  expect((await labels().snapshots(workspaceId, [label.id])).get(label.id)).toEqual({
    ...found,
    sha256: snapshot.sha256,
  })
})

it('stores equal content once per workspace', async () => {
  const [here, there] = [randomUUID(), randomUUID()]
  await labels().add([newLabel({ workspaceId: here }), newLabel({ workspaceId: here })], always)
  await labels().add([newLabel({ workspaceId: here }), newLabel({ workspaceId: here, content: 'Five.' })], always)
  await labels().add([newLabel({ workspaceId: there })], always)
  const text = 'SELECT count(*)::int AS n FROM label_snapshot WHERE workspace_id = $1'
  const counts = await Promise.all([here, there].map((id) => database.operator.query(text, [id])))
  expect(counts.map(({ rows }) => rows[0].n)).toEqual([2, 1])
})

it('refuses more grades of a judge than it may have, and those of whole exchanges apart from them', async () => {
  const workspaceId = randomUUID()
  const [criterionId, other] = [randomUUID(), randomUUID()]
  const limited = { skipsKnown: true, maxInForce: 3 }
  const grade = (of: string | null = criterionId, logId: string = randomUUID()) =>
    newLabel({ workspaceId, criterionId: of, logId })
  const [first, second, third] = [grade(), grade(), grade()]
  await labels().add([first, second], limited)
  await expect(labels().add([grade(), grade()], limited)).rejects.toMatchObject({ code: 'quota_exceeded' })
  await labels().add([third, grade(other), grade(null), grade(null), grade(null)], limited)
  await expect(labels().add([grade()], limited)).rejects.toMatchObject({ code: 'quota_exceeded' })
  await expect(labels().add([grade(null)], limited)).rejects.toMatchObject({ code: 'quota_exceeded' })
  const changed = newLabel({ workspaceId, criterionId, logId: first.logId ?? '', label: 'fail' })
  expect(await labels().add([changed, second], limited)).toEqual([
    { kind: 'created', supersedes: true },
    { kind: 'known' },
  ])
})

const copiesText = `
  INSERT INTO label SELECT (jsonb_populate_record(l, jsonb_build_object(
    'id', gen_random_uuid(), 'item_key', 'copy ' || n, 'log_id', gen_random_uuid()))).*
  FROM label l, generate_series(1, $2::int) n WHERE l.id = $1`

it('reads thousands of grades of a judge, each once', async () => {
  const workspaceId = randomUUID()
  const one = newLabel({ workspaceId, criterionId: randomUUID() })
  await labels().add([one], always)
  await database.operator.query(copiesText, [one.id, 6_000])
  const scope = {
    workspaceId,
    id: one.criterionId ?? '',
    unit: 'request',
    population: '',
    populationFamily: '',
  } as const
  const counted = await labels().countedFor(scope)
  expect(new Set(counted.map(({ itemKey }) => itemKey)).size).toBe(6_001)
})

it('counts the grades in force of a judge, and those without a judge, as they are added, superseded and removed', async () => {
  const workspaceId = randomUUID()
  const about = { workspaceId, logId: randomUUID(), criterionId: randomUUID() }
  const first = newLabel({ ...about, label: 'pass' })
  await labels().add(
    [first, newLabel({ ...about, graderId: 'bob' }), newLabel({ ...about, criterionId: null })],
    always,
  )
  await labels().add([newLabel({ ...about, label: 'fail' })], always)
  await database.operator.query(copiesText, [first.id, 10])
  const text = 'SELECT criterion_id, grades FROM grades_in_force WHERE workspace_id = $1'
  const counted = async () => {
    const { rows } = await database.operator.query<{ criterion_id: string; grades: number }>(text, [workspaceId])
    return new Map(rows.map(({ criterion_id: id, grades }) => [id, grades]))
  }
  const noJudge = '00000000-0000-0000-0000-000000000000'
  expect(await counted()).toEqual(
    new Map([
      [about.criterionId, 2],
      [noJudge, 1],
    ]),
  )
  await database.operator.query("DELETE FROM label WHERE workspace_id = $1 AND grader_id = 'bob'", [workspaceId])
  expect(await counted()).toEqual(
    new Map([
      [about.criterionId, 1],
      [noJudge, 1],
    ]),
  )
})

it('supersedes a grade by a later one of the same grader, but not by one of another grader', async () => {
  const workspaceId = randomUUID()
  const about = { workspaceId, logId: randomUUID(), criterionId: randomUUID() }
  const first = newLabel({ ...about, label: 'pass' })
  const other = newLabel({ ...about, graderId: 'bob' })
  const whole = newLabel({ ...about, criterionId: null })
  await labels().add([first, other, whole], always)
  const second = newLabel({ ...about, label: 'fail' })
  expect(await labels().add([second], always)).toEqual([{ kind: 'created', supersedes: true }])
  const by = new Map((await all(workspaceId)).map(({ id, supersededBy }) => [id, supersededBy]))
  expect([first, other, whole, second].map(({ id }) => by.get(id))).toEqual([second.id, null, null, null])
})

it('chains several grades of one key that are added at once', async () => {
  const workspaceId = randomUUID()
  const logId = randomUUID()
  const chain = ['pass', 'fail', 'pass'].map((label) => newLabel({ workspaceId, logId, label: label as 'pass' }))
  const added = await labels().add(chain, always)
  expect(added.map((each) => each.kind === 'created' && each.supersedes)).toEqual([false, true, true])
  const by = new Map((await all(workspaceId)).map(({ id, supersededBy }) => [id, supersededBy]))
  expect(chain.map(({ id }) => by.get(id))).toEqual([chain[1]?.id, chain[2]?.id, null])
})

it('leaves out only grades that are in force already, if requested', async () => {
  const workspaceId = randomUUID()
  const about = { workspaceId, logId: null, itemKey: 'a' }
  const known = { skipsKnown: true }
  const add = (choices: Parameters<typeof newLabel>[0]) => labels().add([newLabel({ ...about, ...choices })], known)
  expect(await add({})).toEqual([{ kind: 'created', supersedes: false }])
  expect(await add({})).toEqual([{ kind: 'known' }])
  for (const change of [{ label: 'fail' }, { rationale: 'x' }, { content: 'Five.' }] as const) {
    expect(await add(change)).toEqual([{ kind: 'created', supersedes: true }])
    expect(await add(change)).toEqual([{ kind: 'known' }])
  }
  expect(await all(workspaceId)).toHaveLength(4)
})

it('refuses to change or delete a grade, and to supersede one twice', async () => {
  const workspaceId = randomUUID()
  const logId = randomUUID()
  const [first, second] = [newLabel({ workspaceId, logId }), newLabel({ workspaceId, logId })]
  await labels().add([first, second], always)
  const refused = { code: expect.stringMatching(/^(23000|42501)$/) }
  for (const text of [
    `UPDATE label SET label = 'fail' WHERE id = $1`,
    'UPDATE label SET superseded_by = NULL WHERE id = $1',
    'DELETE FROM label WHERE id = $1',
    'DELETE FROM label_snapshot WHERE id = $1',
  ]) {
    await expect(database.pool.query(text, [first.id])).rejects.toMatchObject(refused)
  }
  expect(await all(workspaceId)).toHaveLength(2)
})

/** Invariants of every history of grades. */
function checkChains(stored: readonly StoredLabel[], given: readonly NewLabel[]): void {
  expect(stored.map(({ id }) => id).toSorted()).toEqual(given.map(({ id }) => id).toSorted())
  for (const grades of Map.groupBy(stored, gradeKeyText).values()) {
    const byId = new Map(grades.map((grade) => [grade.id, grade]))
    const inForce = grades.filter(({ supersededBy }) => supersededBy === null)
    const successors = grades.flatMap(({ supersededBy }) => supersededBy ?? [])
    expect(inForce).toHaveLength(1)
    expect(new Set(successors).size).toBe(successors.length)
    expect(successors.every((id) => byId.has(id))).toBe(true)
    // Each grade except the first superseded exactly one, so all grades form a single chain.
    let at = grades.find(({ id }) => !successors.includes(id))
    let length = 0
    for (; at !== undefined; at = byId.get(at.supersededBy ?? '')) length += 1
    expect(length).toBe(grades.length)
  }
}

it.each([1, 2, 3, 4])('has one grade in force and loses none with concurrent graders (seed %i)', async (seed) => {
  const random = seededRandom(seed)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const workspaceId = randomUUID()
  const criteria = [null, randomUUID(), randomUUID()]
  const logs = [randomUUID(), randomUUID()]
  const batches = Array.from({ length: 60 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 6) }, () =>
      newLabel({
        workspaceId,
        logId: pick(logs),
        criterionId: pick(criteria),
        graderId: pick(['ann', 'bob']),
        label: pick(['pass', 'fail']),
        content: pick(['Four.', 'Five.', 'Six.']),
      }),
    ),
  )
  const added = await Promise.all(batches.map((batch) => labels().add(batch, always)))
  const stored = await all(workspaceId)
  checkChains(stored, batches.flat())
  const superseding = added.flat().filter((each) => each.kind === 'created' && each.supersedes).length
  expect(superseding).toBe(stored.filter(({ supersededBy }) => supersededBy !== null).length)
})

it('stores one of many equal grades that are imported at once', async () => {
  const workspaceId = randomUUID()
  const grade = () => newLabel({ workspaceId, logId: null, itemKey: 'a' })
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => labels().add([grade()], { skipsKnown: true })))
  expect(outcomes.flat().filter(({ kind }) => kind === 'created')).toHaveLength(1)
  expect(await all(workspaceId)).toHaveLength(1)
})

it('finds grades by every filter, newest first, page by page', async () => {
  const workspaceId = randomUUID()
  const [criterionId, logId] = [randomUUID(), randomUUID()]
  const at = (hour: number) => new Date(Date.UTC(2026, 10, 1, hour))
  const given = [
    newLabel({ workspaceId, criterionId, createdAt: at(1) }),
    newLabel({ workspaceId, logId, label: 'fail', createdAt: at(2) }),
    newLabel({ workspaceId, logId: null, source: 'import', graderId: 'bob', createdAt: at(3) }),
    newLabel({ workspaceId, logId, label: 'pass', createdAt: at(4) }),
  ]
  for (const label of given) await labels().add([label], always)
  const found = async (filter: Partial<LabelFilter>) => {
    const requested = { workspaceId, includesSuperseded: false, ...filter }
    const page = await labels().page(requested, { limit: 10, offset: 0 })
    expect(await labels().count(requested, 10)).toBe(page.length)
    return page.map(({ id }) => given.findIndex((label) => label.id === id))
  }
  expect(await found({})).toEqual([3, 2, 0])
  expect(await found({ includesSuperseded: true })).toEqual([3, 2, 1, 0])
  expect(await found({ criterionId })).toEqual([0])
  expect(await found({ logId, includesSuperseded: true })).toEqual([3, 1])
  expect(await found({ label: 'fail', includesSuperseded: true })).toEqual([1])
  expect(await found({ graderId: 'bob' })).toEqual([2])
  expect(await found({ source: 'import' })).toEqual([2])
  expect(await found({ start: at(3), end: at(4) })).toEqual([2])
  expect(await found({ asOf: at(3) })).toEqual([2, 1, 0])
  const page = (offset: number, after?: NewLabel) => labels().page(everything(workspaceId), { limit: 2, offset, after })
  expect((await page(1)).map(({ id }) => id)).toEqual([given[2]?.id, given[1]?.id])
  expect((await page(0, given[2])).map(({ id }) => id)).toEqual([given[1]?.id, given[0]?.id])
  expect(await labels().count(everything(workspaceId), 3)).toBe(3)
})

it('counts the grades of a criterion, and those of whole exchanges of its population for items without one', async () => {
  const workspaceId = randomUUID()
  const criterionId = randomUUID()
  const [a, b, c, d] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const own = newLabel({ workspaceId, criterionId, logId: a, tag: 'other' })
  const whole = [
    newLabel({ workspaceId, logId: a, tag: 'chat', segment: 's1' }),
    newLabel({ workspaceId, logId: b, tag: 'chat', segment: 's1' }),
    newLabel({ workspaceId, logId: c, tag: 'chat', segment: 's2' }),
    newLabel({ workspaceId, logId: d, tag: null, segment: 's1' }),
  ]
  const foreign = newLabel({ workspaceId, criterionId: randomUUID(), logId: b, tag: 'chat', segment: 's1' })
  await labels().add([own, ...whole, foreign], always)
  const scope = { workspaceId, id: criterionId, unit: 'request', population: '', populationFamily: '' } as const
  const counted = async (population: string, populationFamily: string) =>
    (await labels().countedFor({ ...scope, population, populationFamily })).map(({ logId }) => logId).toSorted()
  expect(await counted('', '')).toEqual([a, b, c, d].toSorted())
  expect(await counted('chat', '')).toEqual([a, b, c].toSorted())
  expect(await counted('chat', 's1')).toEqual([a, b].toSorted())
  expect(await labels().countedFor({ ...scope, unit: 'trace' })).toEqual([])
  expect(await labels().countGradedItems(workspaceId)).toBe(4)
})
