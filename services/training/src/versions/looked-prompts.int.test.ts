import { inTransaction } from '@ratchet/db/in-transaction'
import { rootKeyOf } from '../data/read-example.ts'
import { type VersionApp, versionApp } from './version-app.fixture.ts'

let app: VersionApp
beforeAll(async () => {
  app = await versionApp()
})
afterAll(() => app?.drop())

it.each([
  ['train', 1],
  ['guard', 1],
  ['proof', 0],
])(
  'an eval on a prompt of the part %s of its run has %i prompts that prove nothing',
  async (part, count) => {
    const { jobId, versionIds } = await app.train()
    const { model_id: name } = (await app.send('get', `/v1/model_versions/${versionIds[0]}`)).body
    const messages = [{ role: 'user', content: `A prompt of ${part}.` }]
    await inTransaction(app.run.operator, async (client) => {
      // The job is no run, which the prompts would belong to.
      await client.query("SET LOCAL session_replication_role = 'replica'")
      const text = 'INSERT INTO grpo_prompt (run_id, workspace_id, part, place, messages) VALUES ($1, $2, $3, 0, $4)'
      await client.query(text, [jobId, app.workspaceId, part, JSON.stringify(messages)])
    })
    app.evals.splice(0, app.evals.length, {
      id: 'eval_1',
      criterion_id: null,
      judge_model: 'x/y',
      judge_models: [],
    } as never)
    app.evalRoots = [rootKeyOf(messages)]
    const query = `/internal/training/checked-evals?model=${encodeURIComponent(name)}&eval_ids=eval_1`
    expect((await app.send('get', query)).body.data[0].trained_prompts).toBe(count)
  },
  60_000,
)
