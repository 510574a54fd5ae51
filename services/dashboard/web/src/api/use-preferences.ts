import { type Preferences, readPreferences, writePreferences } from '@ratchet/contracts/dashboard/account'
import { useQueryClient } from '@tanstack/react-query'
import { queryKeyOf } from './query-key.ts'
import { useAct } from './use-act.ts'
import { useEndpoint } from './use-endpoint.ts'
import { useSlug } from './use-slug.ts'

/** The preferences of the person, and how to change a part of them. The change is shown before the server has it. */
export function usePreferences() {
  const slug = useSlug()
  const queries = useQueryClient()
  const preferences = useEndpoint(readPreferences)
  const write = useAct(writePreferences, { changes: [readPreferences] })
  const change = (part: Partial<Preferences>) => {
    if (preferences.data === undefined) return
    const body = { ...preferences.data, ...part }
    queries.setQueryData(queryKeyOf(readPreferences, slug), body)
    write.mutate({ body })
  }
  return { preferences, change, error: write.error }
}
