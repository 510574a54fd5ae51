import { Text } from '@mantine/core'
import { logHistogram } from '@ratchet/contracts/log-overview'
import { type ReactNode, useState } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { now } from '../../../clock.ts'
import { outlivedRange, outlivedSentence } from './outlived.ts'

/** How many exchanges a shorter retention deletes, counted before the person decides. */
export function OutlivedCount({ days }: { readonly days: number }): ReactNode {
  const [atMs] = useState(now)
  const { data, error } = useEndpoint(logHistogram, { query: outlivedRange(days, atMs) })
  if (error !== null) return <Text mt={8}>How many these are cannot be counted at the moment.</Text>
  const sentence = data === undefined ? 'Counting how many these are…' : outlivedSentence(data.buckets)
  return (
    <Text mt={8} fw={600} aria-live="polite">
      {sentence}
    </Text>
  )
}
