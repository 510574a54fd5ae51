import { z } from 'zod'
import { recordOf } from '../list-of.ts'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { PersonName, WorkspaceParams } from './values.ts'

/** A filter of a page with a name. */
export const SavedView = z.strictObject({
  page: z.string().regex(/^[a-z][a-z-]{0,39}$/),
  name: PersonName,
  search: recordOf(z.string().max(60), z.json()).describe('Search parameters of the page.'),
})
export type SavedView = z.infer<typeof SavedView>

const views = z.array(SavedView).max(200)
const reply = z.object({ object: z.literal('list'), data: views })

export const listViews = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/views',
  summary: 'List the views that the user saved in a workspace.',
  permission: 'any',
  params: WorkspaceParams,
  reply,
})

export const writeViews = dashboardEndpoint({
  method: 'put',
  path: '/api/w/:slug/views',
  summary: 'Replace the views that the user saved in a workspace.',
  permission: 'any',
  maxBodyBytes: 262_144,
  params: WorkspaceParams,
  body: z.strictObject({ data: views }),
  reply,
})
