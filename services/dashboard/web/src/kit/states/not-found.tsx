import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { EmptyState } from './empty-state.tsx'

export function NotFound(): ReactNode {
  return (
    <main style={{ padding: 24 }}>
      <EmptyState title="Not here" action={<Anchor href="/">Go to the start</Anchor>}>
        This page does not exist, or it belongs to a workspace that is not yours.
      </EmptyState>
    </main>
  )
}
