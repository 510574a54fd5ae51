import { type VersionApp, versionApp } from './version-app.fixture.ts'

let app: VersionApp
beforeAll(async () => {
  app = await versionApp()
})
afterAll(() => app?.drop())

it('shows a version while evals cannot be read, and says so', async () => {
  const [id] = (await app.train()).versionIds
  const read = () => app.send('get', `/v1/model_versions/${id}`)
  expect((await read()).body.eval_ids).toEqual([])
  app.evalsAreDown = true
  const { status, body } = await read()
  expect([status, body.eval_ids, body.evidence?.eval_id]).toEqual([200, null, null])
})
