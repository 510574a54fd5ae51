import { parseHostList } from '@ratchet/http/host-list'
import { z } from 'zod'

/** The zod form of {@link parseHostList}, for a service's configuration. An empty variable is an empty list. */
export const HostList = z
  .string()
  .default('')
  .transform((text, context) => {
    try {
      return parseHostList(text)
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message })
      return z.NEVER
    }
  })
