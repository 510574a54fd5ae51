import type { CallableEndpoint } from '@ratchet/contracts/client/endpoint-client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { z } from 'zod'
import { newId } from '../clock.ts'
import { type ActKey, actKeyFor } from './act-key.ts'
import { call } from './call.ts'
import { withFreshSignIn } from './fresh-sign-in.ts'
import { useSlug } from './use-slug.ts'
import { type PageInput, withSlug } from './with-slug.ts'

export interface ActOptions<E extends CallableEndpoint> {
  readonly onDone?: (reply: z.output<E['reply']>, input: PageInput<E>) => void
  /** Endpoints whose replies the action changes; they are read again. */
  readonly changes?: readonly Pick<CallableEndpoint, 'path'>[]
}

/**
 * An action. It has one idempotency key until its content changes or it succeeded. When the server requires a fresh sign-in, the
 * person signs in again in a dialog, and the action continues. Its reply is not stored in the cache of queries.
 */
export function useAct<E extends CallableEndpoint>(endpoint: E, { onDone, changes = [] }: ActOptions<E> = {}) {
  const slug = useSlug()
  const queries = useQueryClient()
  const key = useRef<ActKey | null>(null)
  return useMutation<z.output<E['reply']>, Error, PageInput<E>>({
    gcTime: 0,
    mutationFn: (input) => {
      key.current = actKeyFor(key.current, input, newId)
      const sent = { ...withSlug(endpoint, slug, input), slug, idempotencyKey: key.current.key }
      return withFreshSignIn(() => call(endpoint, sent))
    },
    onSuccess: async (reply, input) => {
      key.current = null
      await Promise.all(changes.map(({ path }) => queries.invalidateQueries({ queryKey: [path] })))
      onDone?.(reply, input)
    },
  })
}
