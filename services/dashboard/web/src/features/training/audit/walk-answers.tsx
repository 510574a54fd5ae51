import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useKey } from '../../../keys/key-context.ts'
import { count } from '../../../kit/numbers.ts'

interface WalkAnswersProps {
  /** From 1. */
  readonly n: number
  readonly total: number
  readonly onGo: (n: number) => void
}

/** Where the reader is in a list of answers, with the way to both sides, also by `j` and `k`. */
export function WalkAnswers({ n, total, onGo }: WalkAnswersProps): ReactNode {
  useKey('row.next', () => onGo(n + 1), { enabled: n < total })
  useKey('row.previous', () => onGo(n - 1), { enabled: n > 1 })
  return (
    <Group gap={8}>
      <Button variant="default" disabled={n <= 1} onClick={() => onGo(n - 1)}>
        Previous
      </Button>
      <span role="status">
        Answer {count(n)} of {count(total)}
      </span>
      <Button variant="default" disabled={n >= total} onClick={() => onGo(n + 1)}>
        Next
      </Button>
    </Group>
  )
}
