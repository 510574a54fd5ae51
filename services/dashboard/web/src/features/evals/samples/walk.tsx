import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'

interface WalkProps {
  readonly n: number
  readonly total: number
  readonly last: number
  readonly onGo: (n: number) => void
}

/** Where the reader is in a list, with the way to both sides. */
export function Walk({ n, total, last, onGo }: WalkProps): ReactNode {
  return (
    <Group gap={8}>
      <Button variant="default" disabled={n <= 1} onClick={() => onGo(n - 1)}>
        Previous
      </Button>
      <span role="status">{n > total ? `All ${total} seen` : `Sample ${n} of ${total}`}</span>
      <Button variant="default" disabled={n >= last} onClick={() => onGo(n + 1)}>
        Next
      </Button>
    </Group>
  )
}
