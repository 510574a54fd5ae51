import { Button, TextInput } from '@mantine/core'
import {
  archiveModelVersion,
  rejectModelVersion,
  serveModelVersion,
  unserveModelVersion,
} from '@ratchet/contracts/model-version-changes'
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
import { isInPool } from './version-words.ts'

type Act = 'adopt' | 'serve' | 'unserve' | 'reject' | 'archive'

/** Adopt, serve, reject and archive, each in a dialog. */
export function VersionActions({ version }: { readonly version: ModelVersionDetail }): ReactNode {
  const [asked, setAsked] = useState<Act | null>(null)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const close = () => setAsked(null)
  const { status } = version
  if (status === 'archived') return null
  const isUsed = status === 'adopted'
  const shown: readonly (readonly [Act, string])[] = [
    ...(status === 'rejected' ? [] : [['adopt', 'Adopt'] as const]),
    ...(version.adapter === null || isInPool(version) ? [] : [['serve', 'Serve'] as const]),
    ...(isInPool(version) ? [['unserve', 'Stop serving'] as const] : []),
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
      {asked === 'serve' && <Serve version={version} onClose={close} />}
      {asked === 'unserve' && <Unserve version={version} onClose={close} />}
      {asked === 'reject' && <Reject version={version} onClose={close} />}
      {asked === 'archive' && <Archive version={version} onClose={close} />}
    </>
  )
}

interface DialogProps {
  readonly version: ModelVersionDetail
  readonly onClose: () => void
}

function Serve({ version: { id, base_model: base }, onClose }: DialogProps): ReactNode {
  const onDone = () => {
    onClose()
    toast('The pool loads the version.')
  }
  const { isPending, error, mutate } = useAct(serveModelVersion, { changes: versionChanges, onDone })
  return (
    <Confirm
      opened
      onClose={onClose}
      title="Serve this version?"
      verb="Serve the version"
      isRunning={isPending}
      error={error}
      onConfirm={() => mutate({ params: { id }, body: { in: 'pool' } })}
    >
      <p>
        Engines that share {base} load it, and answer as it does once they were proven to. Requests cost what those to{' '}
        {base} cost.
      </p>
    </Confirm>
  )
}

function Unserve({ version: { id, serving }, onClose }: DialogProps): ReactNode {
  const onDone = () => {
    onClose()
    toast('The pool does not serve the version any more.')
  }
  const { isPending, error, mutate } = useAct(unserveModelVersion, { changes: versionChanges, onDone })
  return (
    <Confirm
      opened
      onClose={onClose}
      title="Stop serving this version?"
      verb="Stop serving it"
      isRunning={isPending}
      error={error}
      onConfirm={() => mutate({ params: { id } })}
    >
      <p>
        Requests that run are answered. Later ones are{' '}
        {serving.provider === null ? 'answered with 404' : `answered by ${serving.provider}`}.
      </p>
    </Confirm>
  )
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
