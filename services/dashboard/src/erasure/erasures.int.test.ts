import { cancelPersonErasure, listPersonErasures, requestPersonErasure } from '@ratchet/contracts/dashboard/erasures'
import { startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'

let dashboard: TestDashboard
let owner: TestBrowser
const params = { slug: 'acme' }

beforeAll(async () => {
  dashboard = await startTestDashboard()
  owner = await dashboard.owner('acme')
})
afterAll(() => dashboard.stop())

const request = (person: string) => owner.call(requestPersonErasure, { params, body: { person } })

it('begins one erasure of a person, however many are requested at once, and another one when that is over', async () => {
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => request('ann')))
  const begun = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  expect(begun).toHaveLength(1)
  await expect(request('ann')).rejects.toMatchObject({ status: 409 })
  await request('bob')
  await owner.call(cancelPersonErasure, { params: { ...params, id: begun[0]?.id ?? '' } })
  await request('ann')
  const { data } = await owner.call(listPersonErasures, { params })
  expect(data.map(({ person, state }) => [person, state])).toEqual([
    ['ann', 'finding'],
    ['bob', 'finding'],
    [null, 'cancelled'],
  ])
})
