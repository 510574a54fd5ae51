import { changeSettings, readSettings } from '@ratchet/contracts/dashboard/settings'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { Announce } from '../live/live-messages.ts'
import { mountForMember, type PeopleDeps } from '../people/person-routes.ts'
import type { SettingsStore } from './pg-settings.ts'

export interface SettingsDeps extends PeopleDeps {
  readonly settings: SettingsStore
  readonly announce: Announce
}

export function settingsRoutes(router: Router, deps: SettingsDeps): void {
  mountForMember(router, deps, readSettings, ({ membership }) => deps.settings.read(membership.workspaceId))
  mountForMember(router, deps, changeSettings, async ({ body, membership: { workspaceId, role }, act }) => {
    if (body.name !== undefined && role !== 'owner') {
      throw new ServiceError('insufficient_permissions', 'Only owners may rename the workspace.', { param: 'name' })
    }
    if (body.evidence_policy === 'off' && role !== 'owner' && (await isEnforced(deps.settings, workspaceId))) {
      const message = 'Only owners may switch the evidence policy off.'
      throw new ServiceError('insufficient_permissions', message, { param: 'evidence_policy' })
    }
    const settings = await deps.settings.change(act, body)
    deps.announce(workspaceId, { topic: 'setup' })
    return settings
  })
}

async function isEnforced(settings: SettingsStore, workspaceId: string): Promise<boolean> {
  return (await settings.read(workspaceId)).evidence_policy === 'enforce'
}
