/** The script of error pages: the button that leads back to the page with the dead link. */
const button = document.getElementById("go-back")!;
// Without that page there is no way back; in a frame, the way back would be that of the page around it
button.hidden = !document.referrer || history.length < 2 || self !== top;
button.onclick = () => history.back();
