// Where the browser arrives from the payment provider's pages, when this service is the web site as well.

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
    <p>If you have subscribed, changed or ended something there, your plan follows within a minute. If you have not,
      nothing has changed. You can close this page.</p>
  </body>
</html>
`;
