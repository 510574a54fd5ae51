import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { z } from 'zod'
import { HostList } from './host-list-config.ts'

/** Which addresses workspaces may have told of events. Spread into the service's own schema. */
export const webhookConfig = {
  /** Whether workspaces may name any public address, or only `WEBHOOK_ALLOWED_HOSTS`. */
  WEBHOOK_CUSTOM_HOSTS: z.stringbool().default(true),
  /** Hosts the operator vouches for, private ones too, separated by commas. */
  WEBHOOK_ALLOWED_HOSTS: HostList,
}
const WebhookConfig = z.object(webhookConfig)

export function webhookRules(config: z.output<typeof WebhookConfig>): BaseUrlRules {
  return { customHosts: config.WEBHOOK_CUSTOM_HOSTS, allowedHosts: config.WEBHOOK_ALLOWED_HOSTS }
}
