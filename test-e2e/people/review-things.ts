import { eventually } from '@ratchet/testing/eventually'
import { createJudge, type Json } from '../judged-traffic.ts'
import type { RunningFleet } from '../shared-fleet/shared-fleet.ts'
import { sendFromPage } from '../signed-in.ts'
import { absentName } from '../tenants/absent-name.ts'
import type { Tenant } from '../tenants/own-things.ts'
import type { ReviewKind } from '../tenants/references.ts'
import type { TestPerson } from './sign-in-people.ts'

/** Opens rounds of review of a tenant's judge, and takes items to grade. Nobody disagrees about an item yet. */
export async function createReviewThings(
  fleet: RunningFleet,
  { workspace, api, things }: Tenant,
  owner: TestPerson,
): Promise<Readonly<Record<ReviewKind, string>>> {
  const send = async (method: string, path: string, body?: object): Promise<Json> => {
    const request = { method, cookie: owner.cookie, ...(body === undefined ? {} : { body }) }
    const answer = await sendFromPage(fleet, `/api/w/${workspace.slug}/session/review${path}`, request)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}: ${text}`)
    return JSON.parse(text)
  }
  const open = async (): Promise<string> => {
    const { id } = await send('POST', '/rounds', { criterion_id: things.criterion, frame_rows: 10 })
    await eventually(async () => (await send('GET', `/rounds/${id}`)).status === 'open', {
      withinMs: 60_000,
      everyMs: 200,
    })
    return id
  }
  const round = await open()
  const claim = await send('POST', `/rounds/${round}/claim`, {})
  const item = claim.items[0].id
  return {
    challenger: (await createJudge(api, 'sim/judge-0.9-0.9')).id,
    round,
    round_to_close: await open(),
    claim: claim.id,
    item,
    disagreement: absentName(item),
  }
}
