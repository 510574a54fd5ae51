import { type DatasetApp, startDatasetApp } from './dataset-app.fixture.ts'

let app: DatasetApp
beforeAll(async () => {
  app = await startDatasetApp()
})
afterAll(() => app?.stop())

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as their readers would
type Json = any

async function json(method: string, path: string, body?: object): Promise<{ status: number; body: Json }> {
  const response = await app.send(method, path, body)
  return { status: response.status, body: await response.json() }
}

describe('a dataset of what a judge passed', () => {
  const tag = 'judged'
  const judge = `crit_${'1'.repeat(32)}`
  const curate = (more: object) => json('POST', '/v1/datasets/from_logs', { name: 'judged', filters: { tag }, ...more })

  beforeAll(async () => {
    const first = [user('What grows on the northern slope?')]
    const ids = await app.log([
      { tag, messages: first, reply: 'moss and lichen' },
      { tag, messages: [...first, assistant('moss and lichen'), user('and below?')], reply: 'pines' },
      { tag, messages: [user('How deep is the fjord?')], reply: 'very' },
      { tag, messages: [user('Who built the old mill?')], reply: 'nobody knows' },
      { tag, messages: [user('Name the islands.')], reply: 'one, two', finishReason: 'length' },
    ])
    const verdicts = ['fail', 'pass', 'fail', undefined, 'pass'] as const
    app.judges.set(judge, new Map(verdicts.flatMap((each, at) => (each ? [[ids[at] ?? '', each] as const] : []))))
  })

  it('has only those, by default', async () => {
    const { status, body } = await curate({ criterion_id: judge })
    expect([status, body.dataset.criterion_id]).toEqual([201, judge])
    expect(body.summary).toMatchObject({
      matched: 5,
      kept: 1,
      dropped: { judge_failed: 2, judge_unscored: 1, truncated: 1 },
    })
  })

  it('says how many exchanges the judge has not judged', async () => {
    const { body } = await curate({ criterion_id: judge })
    expect(body.warnings).toEqual([
      `The judge has no verdict on 1 of the 5 exchanges that match, so they are left out. Scan them with \`POST /v1/criteria/${judge}/scan\`, then curate again.`,
    ])
    expect((await curate({})).body.warnings).toEqual([])
  })

  it('is refused before the judge has judged anything, with what to do', async () => {
    const unscanned = `crit_${'4'.repeat(32)}`
    app.judges.set(unscanned, new Map([['elsewhere', 'pass']]))
    const refused = await curate({ criterion_id: unscanned })
    expect([refused.status, refused.body.error.param]).toEqual([400, 'criterion_id'])
    expect(refused.body.error.message).toContain(`POST /v1/criteria/${unscanned}/scan`)
    expect(refused.body.error.details).toMatchObject({
      reason: 'not_judged',
      summary: { kept: 0, dropped: { judge_unscored: 4 } },
    })
    const { status, body } = await curate({ criterion_id: unscanned, dry_run: true })
    expect([status, body.warnings.length]).toEqual([200, 1])
  })

  it('is refused with another reason when nothing matches, or nothing passed', async () => {
    const none = await curate({ criterion_id: judge, filters: { tag: 'nobody' } })
    expect(none.body.error).toMatchObject({ param: 'filters', details: { reason: 'nothing_matches' } })
    const failed = `crit_${'5'.repeat(32)}`
    const ids = [...(app.judges.get(judge)?.keys() ?? [])]
    app.judges.set(failed, new Map(ids.map((id) => [id, 'fail' as const])))
    const dropped = await curate({ criterion_id: failed })
    expect(dropped.body.error).toMatchObject({ param: 'filters', details: { reason: 'all_dropped' } })
  })

  it('does not train an earlier answer that failed', async () => {
    const { body } = await curate({ criterion_id: judge })
    const { body: page } = await json('GET', `/v1/datasets/${body.dataset.id}/examples`)
    expect(page.data[0].messages.map(({ weight }: Json) => weight)).toEqual([undefined, 0, undefined, 1])
  })

  it('has those that failed, if requested', async () => {
    const { body } = await curate({ criterion_id: judge, verdict: 'fail' })
    expect(body.summary).toMatchObject({ matched: 5, kept: 2, dropped: { judge_failed: 1, judge_unscored: 1 } })
  })

  it('is refused for a judge that the workspace does not have, before the log is read', async () => {
    app.asked.length = 0
    const { status, body } = await curate({ criterion_id: `crit_${'2'.repeat(32)}` })
    expect([status, body.error.code, body.error.param]).toEqual([404, 'not_found', 'criterion_id'])
    expect(app.asked).toEqual([0])
  })

  it('is not made without verdicts while judging is unavailable', async () => {
    const unavailable = `crit_${'3'.repeat(32)}`
    app.judges.set(unavailable, new Map())
    const { status, body } = await curate({ criterion_id: unavailable })
    expect([status, body.error.code]).toEqual([503, 'service_unavailable'])
  })

  it('reads a thousand verdicts at a time', async () => {
    const many = 'many-judged'
    await app.log(Array.from({ length: 1_001 }, (_, n) => ({ tag: many, messages: [user(`q ${n}`)], reply: `a ${n}` })))
    app.asked.length = 0
    const { body } = await curate({ criterion_id: judge, filters: { tag: many }, dry_run: true })
    expect(app.asked).toEqual([0, 1_000, 1])
    expect(body.summary).toMatchObject({ kept: 0, dropped: { judge_unscored: 1_001 } })
  })
})
