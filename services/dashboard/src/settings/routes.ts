import { changeSettings, readSettings } from '@ratchet/contracts/dashboard/settings'
import type { Role } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { Announce } from '../live/live-messages.ts'
import { isFresh } from '../people/person.ts'
import { mountForMember, type PeopleDeps } from '../people/person-routes.ts'
import type { SettingsStore } from './pg-settings.ts'

export interface SettingsDeps extends PeopleDeps {
  readonly settings: SettingsStore
  readonly announce: Announce
}

export function settingsRoutes(router: Router, deps: SettingsDeps): void {
  mountForMember(router, deps, readSettings, ({ membership }) => deps.settings.read(membership.workspaceId))
  mountForMember(
    router,
    deps,
    changeSettings,
    async ({ body, person, membership: { workspaceId, role }, act, now }) => {
      if (body.name !== undefined && role !== 'owner') {
        throw new ServiceError('insufficient_permissions', 'Only owners may rename the workspace.', { param: 'name' })
      }
      if (body.evidence_policy === 'off' && (await isEnforced(deps.settings, workspaceId))) {
        requireFreshOwner(role, isFresh(person, now))
      }
      const settings = await deps.settings.change(act, body)
      deps.announce(workspaceId, { topic: 'setup' })
      return settings
    },
  )
}

async function isEnforced(settings: SettingsStore, workspaceId: string): Promise<boolean> {
  return (await settings.read(workspaceId)).evidence_policy === 'enforce'
}

/** Without the policy a model can be moved without evidence, as with `force`, which asks for the same. */
function requireFreshOwner(role: Role, isFreshlySignedIn: boolean): void {
  const param = 'evidence_policy'
  if (role !== 'owner') {
    throw new ServiceError('insufficient_permissions', 'Only owners may switch the evidence policy off.', { param })
  }
  if (!isFreshlySignedIn) {
    throw new ServiceError('fresh_sign_in_required', 'Sign in again to switch the evidence policy off.', { param })
  }
}
