import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { z } from 'zod'
import { HostList } from './host-list-config.ts'

/** Which webhook URLs workspaces may set. Spread into the service's own schema. */
export const webhookConfig = {
  /** Whether all public addresses are allowed, or only `WEBHOOK_ALLOWED_HOSTS`. */
  WEBHOOK_CUSTOM_HOSTS: z.stringbool().default(true),
  /** Hosts that the operator allows, also private ones, separated by commas. */
  WEBHOOK_ALLOWED_HOSTS: HostList,
  /** Whether messages may go to this machine by plain http, for a receiver beside the fleet of `npm start`. */
  WEBHOOK_LOOPBACK_HTTP: z.stringbool().default(false),
}
const WebhookConfig = z.object(webhookConfig)

export function webhookRules(config: z.output<typeof WebhookConfig>): BaseUrlRules {
  return {
    customHosts: config.WEBHOOK_CUSTOM_HOSTS,
    allowedHosts: config.WEBHOOK_ALLOWED_HOSTS,
    loopbackHttp: config.WEBHOOK_LOOPBACK_HTTP,
  }
}
