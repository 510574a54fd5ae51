import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ErrorState } from '../states/error-state.tsx'

interface ConfirmProps {
  readonly opened: boolean
  readonly onClose: () => void
  /** The question, such as "Revoke the key deploy?". */
  readonly title: string
  /** What will be different, and what cannot be undone. */
  readonly children: ReactNode
  /** The verb of the button. */
  readonly verb: string
  readonly onConfirm: () => void
  readonly isRunning: boolean
  readonly error: unknown
  /** A word to type first, for what destroys data. */
  readonly typed?: string
}

/** Asks once before something that cannot be undone. */
export function Confirm(props: ConfirmProps): ReactNode {
  const { opened, onClose, title, children, verb, onConfirm, isRunning, error, typed } = props
  const [text, setText] = useState('')
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Stack gap={14}>
        <div>{children}</div>
        {typed !== undefined && (
          <TextInput
            label={`Type ${typed} to continue`}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
        {error !== null && error !== undefined && <ErrorState error={error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" loading={isRunning} disabled={typed !== undefined && text !== typed} onClick={onConfirm}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
