import { Button, Checkbox, Stack, Text, Textarea } from '@mantine/core'
import { PutAlias, putAlias } from '@ratchet/contracts/aliases'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { toast } from '../../../kit/toast.tsx'
import { aliasReads } from '../alias-changes.ts'
import { isSplit } from '../alias-words.ts'
import { useOpenAlias } from '../detail/alias-context.ts'
import { bodyOf, valuesOf } from '../routing/alias-values.ts'
import { type Saving, sentWith } from '../routing/save-bar.tsx'

/** Sends all requests to the canary. When evidence is missing, the server says which would be enough. */
export function PromoteButton(): ReactNode {
  const { alias, reread } = useOpenAlias()
  const workspace = useWorkspace()
  const [asks, setAsks] = useState(false)
  const [saving, setSaving] = useState<Saving>({ reason: '', force: false })
  const reason = reasonAgainst('owner_admin', workspace)
  const againstForce = reasonAgainst('owner', workspace)
  const act = useAct(putAlias, {
    changes: aliasReads,
    onDone: () => {
      setAsks(false)
      toast('Promoted: every new request goes to the canary.')
    },
  })
  if (!isSplit(alias)) return null
  const body = { ...bodyOf({ ...valuesOf(alias), canary_percent: 100 }), ...sentWith(saving) }
  const promote = () => act.mutate({ body, ifMatch: alias.version }, { onError: () => void reread() })
  const needsReason = saving.force && saving.reason.trim() === ''
  return (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <>
          <Button disabled={disabled} onClick={() => setAsks(true)}>
            Promote
          </Button>
          <Confirm
            opened={asks}
            onClose={() => setAsks(false)}
            title={`Promote ${alias.canary_model}?`}
            verb="Promote"
            isRunning={act.isPending}
            error={act.error}
            onConfirm={() => PutAlias.safeParse(body).success && !needsReason && promote()}
          >
            <Stack gap={12}>
              <Text>
                All requests to {alias.name} go to {alias.canary_model}. Rolling back sends them to {alias.target_model}{' '}
                again.
              </Text>
              <Textarea
                label="Reason"
                description={saving.force ? 'Required without evidence. It is in the audit.' : 'It is in the audit.'}
                required={saving.force}
                autosize
                value={saving.reason}
                onChange={({ currentTarget: { value } }) => setSaving((before) => ({ ...before, reason: value }))}
              />
              <NotPermitted reason={againstForce}>
                {(isOff) => (
                  <Checkbox
                    label="Promote it without evidence"
                    checked={saving.force}
                    disabled={isOff}
                    onChange={({ currentTarget: { checked } }) =>
                      setSaving((before) => ({ ...before, force: checked }))
                    }
                  />
                )}
              </NotPermitted>
            </Stack>
          </Confirm>
        </>
      )}
    </NotPermitted>
  )
}
