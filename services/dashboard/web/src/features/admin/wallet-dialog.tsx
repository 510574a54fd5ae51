import { Modal } from '@mantine/core'
import type { AdminWorkspace } from '@ratchet/contracts/dashboard/admin'
import type { ReactNode } from 'react'
import type { z } from 'zod'

export type Workspace = z.output<typeof AdminWorkspace>

export interface WalletActProps {
  /** Null when the dialog is closed. */
  readonly workspace: Workspace | null
  readonly onClose: () => void
}

interface WalletDialogProps extends WalletActProps {
  readonly verb: string
  readonly children: (workspace: Workspace) => ReactNode
}

export function WalletDialog({ workspace, onClose, verb, children }: WalletDialogProps): ReactNode {
  return (
    <Modal opened={workspace !== null} onClose={onClose} title={`${verb} the wallet of ${workspace?.name ?? ''}`}>
      {workspace !== null && children(workspace)}
    </Modal>
  )
}
