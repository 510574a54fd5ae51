import type { DashboardDb } from '@ratchet/db/dashboard-client'

export interface ViewKey {
  readonly workspaceId: string
  readonly userId: string
}

export type ViewStore = ReturnType<typeof createPgViews>

/** The views of a member as JSON text. They are deleted with the membership. */
export function createPgViews(db: DashboardDb) {
  return {
    async read(key: ViewKey): Promise<string> {
      return (await db.savedView.findUnique({ where: { workspaceId_userId: key } }))?.views ?? '[]'
    },
    async write(key: ViewKey, views: string): Promise<void> {
      await db.savedView.upsert({ where: { workspaceId_userId: key }, create: { ...key, views }, update: { views } })
    },
  }
}
