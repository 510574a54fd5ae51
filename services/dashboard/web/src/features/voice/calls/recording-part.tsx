import { getMyCallRecording } from '@ratchet/contracts/session-voice'
import type { CallDetails } from '@ratchet/contracts/voice/calls'
import type { ReactNode } from 'react'
import { addressOf } from '../../../api/address.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { DownloadLink } from '../../../kit/download-link.tsx'
import { Card } from '../../../kit/page.tsx'
import { duration } from '../../../kit/time.ts'
import styles from '../voice.module.css'

/** The recording of a call, to listen to and to keep. */
export function RecordingPart({ call: { id, recording, consent } }: { readonly call: CallDetails }): ReactNode {
  const slug = useWorkspaceSlug()
  if (recording === null && consent !== 'refused') return null
  if (recording === null) {
    return (
      <Card title="Recording">
        <p style={{ margin: 0 }}>There is none: the caller did not agree to being recorded.</p>
      </Card>
    )
  }
  const path = getMyCallRecording.path.replace(':id', encodeURIComponent(id))
  const length = duration(recording.duration_ms)
  return (
    <Card title="Recording">
      <div className={styles.parts}>
        <p style={{ margin: 0 }}>
          {length}; the caller is left, the agent right.{recording.partial && ' Parts of the call are missing.'}
        </p>
        {/* biome-ignore lint/a11y/useMediaCaption: the transcript of the call is below it */}
        <audio
          controls
          preload="none"
          src={addressOf(path, slug)}
          aria-label="Recording of the call"
          style={{ maxWidth: '100%' }}
        />
        <div>
          <DownloadLink path={path} file={`${id}.wav`}>
            Download the recording
          </DownloadLink>
        </div>
      </div>
    </Card>
  )
}
