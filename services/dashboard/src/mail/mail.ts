/** An e-mail of plain text. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Where e-mails go. */
export interface Mailer {
  /** Resolves when the server has taken the mail over. Rejects when it did not. */
  send(mail: Mail): Promise<void>
}

export interface InvitationMail {
  readonly to: string
  readonly workspace: string
  readonly inviter: string
  readonly link: string
}

export function invitationMail({ to, workspace, inviter, link }: InvitationMail): Mail {
  const [name, by] = [plainName(workspace), plainName(inviter)]
  const text = `${by} invites you to the workspace ${name}.

Open this link to accept. It works once, for 7 days, and only for ${to}:

${link}

If you do not expect an invitation, ignore this e-mail.
`
  return { to, subject: `Invitation to ${name}`, text }
}

export function resetMail({ to, link }: { readonly to: string; readonly link: string }): Mail {
  const text = `An operator made a link with which you choose a new password. It works once, for a day:

${link}

If you did not ask for it, ignore this e-mail: your password stays as it is.
`
  return { to, subject: 'Your new password', text }
}

interface NewOwnerMail {
  readonly to: string
  readonly workspace: string
  readonly link: string
}

/** To the owner of a new workspace who had no account. */
export function newOwnerMail({ to, workspace, link }: NewOwnerMail): Mail {
  const text = `An operator made the workspace ${workspace}, which you own. Choose a password here. The link works once, for a day:

${link}
`
  return { to, subject: `Your workspace ${workspace}`, text }
}

export interface LowWalletMail {
  readonly to: string
  readonly workspace: string
  /** US dollars, as text. */
  readonly available: string
  readonly threshold: string
  /** Of the page of the wallet. */
  readonly page: string
}

export function lowWalletMail({ to, workspace, available, threshold, page }: LowWalletMail): Mail {
  const name = plainName(workspace)
  const text = `The wallet of the workspace ${name} has ${available} US dollars left, which is less than ${threshold}.

When it is empty, requests are refused. Top it up here:

${page}
`
  return { to, subject: `The wallet of ${name} is low`, text }
}

export interface CapReachedMail {
  readonly to: string
  readonly workspace: string
  readonly judge: string
  /** US dollars, as text. */
  readonly cap: string
  /** Where the cap is changed. */
  readonly page: string
}

export function capReachedMail({ to, workspace, judge, cap, page }: CapReachedMail): Mail {
  const [name, of] = [plainName(workspace), plainName(judge)]
  const text = `The judge ${of} of the workspace ${name} has used up its cap of ${cap} US dollars a week.

Until Monday, 00:00 UTC, it judges no more traffic, and gates that rely on it wait. Raise the cap here:

${page}
`
  return { to, subject: `The judge ${of} has reached its cap`, text }
}

/** People choose names, so a name must not become a link, another header or a paragraph. */
export function plainName(name: string): string {
  return name
    .replace(/[^\p{L}\p{N} '&()_-]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
}
