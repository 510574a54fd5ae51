import { erasingServices, passes } from '@ratchet/contracts/erasure-passes'
import type { DashboardDb } from '@ratchet/db/dashboard-client'
import {
  beginErasure,
  cancelErasure,
  confirmErasure,
  findErasure,
  listErasures,
  type NewErasure,
  type StoredErasure,
} from '@ratchet/db/person-erasures'
import type { Act } from '../audit/act.ts'
import { recordChange } from '../audit/pg-audit.ts'

export type ErasureStore = ReturnType<typeof createPgErasures>

type NewPerson = Pick<NewErasure, 'id' | 'person' | 'personId' | 'pseudonym'>

/** Erasures of end users. The audit never has their names. */
export function createPgErasures(db: DashboardDb) {
  return {
    list: (workspaceId: string, limit: number): Promise<readonly StoredErasure[]> =>
      listErasures(db, workspaceId, limit),
    find: (workspaceId: string, id: string): Promise<StoredErasure | null> => findErasure(db, { workspaceId, id }),
    /** False when there is one for the person that is not over. */
    begin: (act: Act, person: NewPerson): Promise<boolean> =>
      db.$transaction(async (tx) => {
        const { workspaceId, userId, at } = act
        const erasure = { ...person, kind: 'end_user' as const, workspaceId, requestedBy: userId, at }
        if (!(await beginErasure(tx, erasure, erasingServices))) return false
        await recordChange(tx, act, { action: 'person.erasure_requested', subject: person.id })
        return true
      }),
    confirm: (act: Act, id: string, person: string): Promise<boolean> =>
      db.$transaction(async (tx) => {
        const { workspaceId, userId, at } = act
        const pass = passes.lastFinding + 1
        if (!(await confirmErasure(tx, { id, workspaceId, person, confirmedBy: userId, at, pass }))) return false
        await recordChange(tx, act, { action: 'person.erasure_confirmed', subject: id })
        return true
      }),
    cancel: (act: Act, id: string): Promise<boolean> =>
      db.$transaction(async (tx) => {
        if (!(await cancelErasure(tx, { id, workspaceId: act.workspaceId, at: act.at }))) return false
        await recordChange(tx, act, { action: 'person.erasure_cancelled', subject: id })
        return true
      }),
  }
}
