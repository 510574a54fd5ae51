import { Button, Checkbox, Group, Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import styles from '../aliases.module.css'

export interface Saving {
  readonly reason: string
  readonly force: boolean
}

interface SaveBarProps {
  readonly saving: Saving
  readonly onChange: (changed: Partial<Saving>) => void
  readonly verb: string
  /** Why the person may not save; null when they may. */
  readonly notPermitted: string | null
  readonly isOff: boolean
  readonly isRunning: boolean
  readonly onSave: () => void
  /** Whether the change may need evidence. */
  readonly canForce: boolean
  readonly children?: ReactNode
}

/** The reason of a change, for the audit, and the button that saves it. */
export function SaveBar(props: SaveBarProps): ReactNode {
  const { saving, onChange, verb, notPermitted, isOff, isRunning, onSave, canForce, children } = props
  const reasonAgainstForce = reasonAgainst('owner', useWorkspace())
  return (
    <div className={styles.stack}>
      <Textarea
        label="Reason"
        description={saving.force ? 'Required without evidence. It is in the audit.' : 'It is in the audit.'}
        autosize
        minRows={1}
        value={saving.reason}
        disabled={notPermitted !== null}
        required={saving.force}
        onChange={({ currentTarget }) => onChange({ reason: currentTarget.value })}
      />
      {canForce && (
        <NotPermitted reason={reasonAgainstForce}>
          {(disabled) => (
            <Checkbox
              label="Change it without evidence"
              checked={saving.force}
              disabled={disabled}
              onChange={({ currentTarget }) => onChange({ force: currentTarget.checked })}
            />
          )}
        </NotPermitted>
      )}
      <Group gap={8}>
        <NotPermitted reason={notPermitted}>
          {(disabled) => (
            <Button
              disabled={disabled || isOff || (saving.force && saving.reason.trim() === '')}
              loading={isRunning}
              onClick={onSave}
            >
              {verb}
            </Button>
          )}
        </NotPermitted>
        {children}
      </Group>
    </div>
  )
}

/** What is sent beside the settings. */
export function sentWith({ reason, force }: Saving) {
  const text = reason.trim()
  return { reason: text === '' ? null : text, force }
}
