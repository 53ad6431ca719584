// The page to which the payment provider sends the browser back, if this service is the web site too.

export const BILLING_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Slipstream billing</title>
    <style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 3rem auto; padding: 0 1rem; }</style>
  </head>
  <body>
    <h1>Back from the payment page</h1>
    <p>If you started, changed or ended a subscription, your plan will follow within a minute. Otherwise nothing has
      changed. You can close this page.</p>
  </body>
</html>
`;
