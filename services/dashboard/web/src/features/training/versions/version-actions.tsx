import { Button, TextInput } from '@mantine/core'
import { archiveModelVersion, rejectModelVersion } from '@ratchet/contracts/model-version-changes'
import type { ModelVersionDetail } from '@ratchet/contracts/model-versions'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { toast } from '../../../kit/toast.tsx'
import { AdoptVersion } from './adopt-version.tsx'
import { versionChanges } from './version-changes.ts'

type Act = 'adopt' | 'reject' | 'archive'

/** Adopt, reject and archive, each in a dialog. */
export function VersionActions({ version }: { readonly version: ModelVersionDetail }): ReactNode {
  const [asked, setAsked] = useState<Act | null>(null)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const close = () => setAsked(null)
  const { status } = version
  if (status === 'archived') return null
  const isUsed = status === 'adopted'
  const shown: readonly (readonly [Act, string])[] = [
    ...(status === 'rejected' ? [] : [['adopt', 'Adopt'] as const]),
    ...(status === 'rejected' || isUsed ? [] : [['reject', 'Reject'] as const]),
    ...(isUsed ? [] : [['archive', 'Archive'] as const]),
  ]
  return (
    <>
      <NotPermitted reason={reason}>
        {(disabled) =>
          shown.map(([act, label]) => (
            <Button
              key={act}
              variant={act === 'adopt' ? 'filled' : 'default'}
              disabled={disabled}
              onClick={() => setAsked(act)}
            >
              {label}
            </Button>
          ))
        }
      </NotPermitted>
      {asked === 'adopt' && <AdoptVersion version={version} onClose={close} />}
      {asked === 'reject' && <Reject version={version} onClose={close} />}
      {asked === 'archive' && <Archive version={version} onClose={close} />}
    </>
  )
}

interface DialogProps {
  readonly version: ModelVersionDetail
  readonly onClose: () => void
}

function Reject({ version: { id }, onClose }: DialogProps): ReactNode {
  const [reason, setReason] = useState('')
  const onDone = () => {
    onClose()
    toast('The version is rejected.')
  }
  const { isPending, error, mutate } = useAct(rejectModelVersion, { changes: versionChanges, onDone })
  return (
    <Confirm
      opened
      onClose={onClose}
      title="Reject this version?"
      verb="Reject the version"
      isRunning={isPending}
      error={error}
      onConfirm={() => mutate({ params: { id }, body: { reason } })}
    >
      <p>It cannot be adopted any more. Its files stay, and requests that name it are still answered.</p>
      <TextInput
        label="Reason"
        required
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </Confirm>
  )
}

function Archive({ version: { id }, onClose }: DialogProps): ReactNode {
  const onDone = () => {
    onClose()
    toast('The version is archived.')
  }
  const { isPending, error, mutate } = useAct(archiveModelVersion, { changes: versionChanges, onDone })
  return (
    <Confirm
      opened
      onClose={onClose}
      title="Archive this version?"
      verb="Archive the version"
      isRunning={isPending}
      error={error}
      onConfirm={() => mutate({ params: { id } })}
    >
      <p>Requests that name it are then answered with 404. Its files stay and can be downloaded.</p>
    </Confirm>
  )
}
