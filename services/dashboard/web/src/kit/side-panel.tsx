import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { useKey } from '../keys/key-context.ts'

interface SidePanelProps {
  readonly title: ReactNode
  readonly opened: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Details beside a list, which stays usable: `j` and `k` walk its rows while the panel is open. */
export function SidePanel({ title, opened, onClose, children }: SidePanelProps): ReactNode {
  useKey('close', onClose, { enabled: opened })
  return (
    <Drawer.Root
      opened={opened}
      onClose={onClose}
      position="right"
      size="min(720px, 100vw)"
      trapFocus={false}
      lockScroll={false}
      closeOnClickOutside={false}
      transitionProps={{ duration: 80 }}
      styles={{ content: { borderLeft: '1px solid var(--line)' }, inner: { pointerEvents: 'none' } }}
    >
      <Drawer.Content ref={markAsBeside}>
        {/* Else it would be a second banner of the page. */}
        <Drawer.Header role="presentation">
          <Drawer.Title>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label="Close the details" />
        </Drawer.Header>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}

/** The component calls every drawer modal. This one is not: the page stays usable, and keys of a letter work inside of it. */
function markAsBeside(content: HTMLElement | null): void {
  content?.setAttribute('aria-modal', 'false')
}
