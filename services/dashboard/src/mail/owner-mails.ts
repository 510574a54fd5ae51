import { formatUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import { capReachedMail, lowWalletMail, type Mail, type Mailer } from './mail.ts'

/** A mail to an owner of a workspace about something that happened in it. */
export interface OwnerNotice {
  readonly workspaceId: string
  /** UUID of what it happened to. */
  readonly subjectId: string
  /** When it happened. */
  readonly changedAt: Date
  readonly userId: string
  readonly email: string
  readonly slug: string
  readonly workspace: string
}

/** The wallet of a workspace fell below its threshold. */
export interface WalletNotice extends OwnerNotice {
  readonly availableNano: bigint
  readonly thresholdNano: bigint
}

/** A judge reached its weekly cap. */
export interface CapNotice extends OwnerNotice {
  readonly judge: string
  readonly capNano: bigint
}

export interface OwnerNotices<Notice extends OwnerNotice> {
  /** Notes a mail for each owner about what happened in the last day; once for each time. */
  note(now: Date): Promise<void>
  /** Takes a mail that is due, for at least a minute. One that is not ended is due again later, at most a few times. */
  take(now: Date): Promise<Notice | null>
  end(notice: Notice, now: Date): Promise<void>
}

export interface OwnerMailDeps<Notice extends OwnerNotice> {
  readonly notices: OwnerNotices<Notice>
  readonly mailOf: (notice: Notice) => Mail
  /** Needs less than a minute for a mail: then another process may take it. */
  readonly mailer: Mailer
  readonly now: () => Date
  readonly onError: (error: unknown) => void
}

/** Mails of one pass; others wait for the next one. */
const maxMails = 20

/**
 * Mails owners. Several processes may do it at the same time: each mail is taken by one of them, just before it is sent. It
 * is sent twice only when a process or Postgres fails after the mail server took it.
 */
export async function sendOwnerMails<Notice extends OwnerNotice>(deps: OwnerMailDeps<Notice>): Promise<void> {
  const { notices, mailOf, mailer, now, onError } = deps
  await notices.note(now())
  for (let count = 0; count < maxMails; count += 1) {
    const notice = await notices.take(now())
    if (notice === null) return
    try {
      await mailer.send(mailOf(notice))
      await notices.end(notice, now())
    } catch (error) {
      onError(error)
    }
  }
}

/** @param origin of the dashboard */
export function mailOfWallet(origin: string, notice: WalletNotice): Mail {
  const { email: to, workspace, slug, availableNano, thresholdNano } = notice
  const amounts = { available: formatUsd(availableNano), threshold: formatUsd(thresholdNano) }
  return lowWalletMail({ to, workspace, ...amounts, page: `${origin}/w/${slug}/billing` })
}

/** @param origin of the dashboard */
export function mailOfCap(origin: string, { email: to, workspace, slug, subjectId, judge, capNano }: CapNotice): Mail {
  const page = `${origin}/w/${slug}/judges/${publicId('criterion', subjectId)}/monitor`
  return capReachedMail({ to, workspace, judge, cap: formatUsd(capNano), page })
}
