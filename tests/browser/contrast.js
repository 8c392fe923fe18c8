// How well every text that can be seen on a page stands out from what is painted behind it.
//
// axe-core leaves out text over gradients and pictures. Here the pixels decide: the same page is
// pictured with white, with black and with transparent letters. White and black differ where a
// letter is not covered by anything; the third picture shows what is behind it there.
({
  /** Paints all letters in `colour`, or each in its own; borders and icons keep theirs.
   *  A change shows at once, and every element can be found by a point. */
  paint(colour) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      `*, ::before, ::after, ::placeholder {
        transition: none !important;
        caret-color: transparent !important;
        pointer-events: auto !important;
        ${colour && `-webkit-text-fill-color: ${colour} !important;`}
      }
      ${colour && `svg text { fill: ${colour} !important; }`}`,
    );
    document.adoptedStyleSheets = [sheet];
  },

  /** Remembers the texts as they are. */
  look() {
    this.found = this.texts();
  },

  /** Each text that is there: what it says, where, its colour, and the contrast it needs. */
  texts() {
    const brush = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const rgba = (colour) => {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = colour;
      brush.fillRect(0, 0, 1, 1);
      return [...brush.getImageData(0, 0, 1, 1).data];
    };
    // WCAG asks nothing of what can't be used at the moment.
    const OFF = ':disabled, [aria-disabled=true], [inert]';
    const modal = document.querySelector('dialog:modal') ?? document;
    const found = [];
    const add = (element, text, boxes, style) => {
      const inside = boxes.filter(
        (box) => box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
      );
      if (!text.trim() || !inside.length || element.closest(OFF) || !modal.contains(element)) return;
      const [red, green, blue, alpha] = rgba(
        element instanceof SVGElement ? style.fill : style.webkitTextFillColor,
      );
      let opacity = 1;
      for (let each = element; each; each = each.parentElement) {
        opacity *= Number(getComputedStyle(each).opacity);
      }
      const size = parseFloat(style.fontSize);
      found.push({
        element,
        text: text.trim().slice(0, 40),
        where: `${element.localName}.${element.classList[0] ?? ''}`,
        boxes: inside.map((box) => [box.left, box.top, box.right, box.bottom].map(Math.round)),
        colour: [red, green, blue],
        alpha: (alpha / 255) * opacity,
        opacity,
        needs: size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5,
      });
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!element.checkVisibility({ visibilityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      add(element, walker.currentNode.data, [...range.getClientRects()], getComputedStyle(element));
    }
    for (const field of document.querySelectorAll('input, textarea')) {
      if (!field.checkVisibility({ visibilityProperty: true })) continue;
      const style = getComputedStyle(field, field.value ? undefined : '::placeholder');
      add(field, field.value || field.placeholder, [field.getBoundingClientRect()], style);
    }
    return found;
  },

  /** Of `this.found`, what fell short in pictures with white, black and no letters. Where two
   *  more pictures, again with white and no letters, differ from these, nothing is judged. */
  async measure(pictures) {
    const [white, black, bare, again = white, after = bare] = await Promise.all(
      pictures.map((png) => this.pixels(png)),
    );
    this.paint('');
    // What moved, came, went or changed its colour while the pictures were taken can't be judged
    // by them, nor can what lies below it: the letters there may be those of the other text.
    const texts = this.texts();
    const [then, now] = [this.found, texts].map((all) => new Set(all.map(looks)));
    const still = this.found.filter((one) => now.has(looks(one)));
    const passing = [...this.found, ...texts].filter(
      (one) => !(then.has(looks(one)) && now.has(looks(one))),
    );
    // Pictures of a page that is drawn smaller have fewer pixels.
    const scale = bare.width / innerWidth;
    const bad = still.flatMap((one) => {
      let worst = { contrast: Infinity };
      let seen = false;
      for (const [x, y] of pixelsIn(one)) {
        const at = 4 * (y * bare.width + x);
        const letter = Math.abs(white.data[at + 1] - black.data[at + 1]);
        if (letter < 80 * one.opacity) continue;
        // A card flew past here.
        if (white.data[at + 1] !== again.data[at + 1]) continue;
        if (bare.data[at + 1] !== after.data[at + 1]) continue;
        if (passing.some((other) => covers(other, x / scale, y / scale))) continue;
        seen = true;
        const behind = [...bare.data.slice(at, at + 3)];
        const front = one.colour.map((part, i) => part * one.alpha + behind[i] * (1 - one.alpha));
        const contrast = contrastOf(front, behind);
        if (contrast < Math.min(one.needs, worst.contrast) && isOnTop(one, x / scale, y / scale)) {
          worst = { contrast, behind, x, y };
        }
      }
      one.seen = seen;
      if (worst.contrast === Infinity) return [];
      return (
        `"${one.text}" (${one.where}) ${worst.contrast.toFixed(2)}:1, not ${one.needs}:1: ` +
        `rgb(${one.colour}) ${one.alpha.toFixed(2)} on rgb(${worst.behind}) at ${worst.x},${worst.y}`
      );
    });
    return { seen: still.filter((one) => one.seen).length, bad };

    function looks({ text, boxes, colour, alpha }) {
      return JSON.stringify([text, boxes, colour, alpha]);
    }

    function* pixelsIn({ boxes }) {
      for (const box of boxes) {
        const [left, top, right, bottom] = box.map((edge) => Math.max(0, Math.floor(edge * scale)));
        for (let y = top; y < Math.min(bottom, bare.height); y++) {
          for (let x = left; x < Math.min(right, bare.width); x++) yield [x, y];
        }
      }
    }

    function covers({ boxes }, x, y) {
      // A glyph may reach a little beyond the box of its text, and boxes are rounded.
      const OVER = 2;
      return boxes.some(
        ([left, top, right, bottom]) =>
          x >= left - OVER && x < right + OVER && y >= top - OVER && y < bottom + OVER,
      );
    }

    /** Whether a letter here is this text's: boxes overlap, and some are clipped or covered. */
    function isOnTop(one, x, y) {
      const here = still.filter((each) => covers(each, x, y));
      const found = document.elementsFromPoint(x, y);
      return found.find((element) => here.some((each) => each.element === element)) === one.element;
    }

    function contrastOf(one, other) {
      const [low, high] = [lightness(one), lightness(other)].sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    }

    /** WCAG 2.2, relative luminance. */
    function lightness(colour) {
      const [red, green, blue] = colour.map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    }
  },

  async pixels(png) {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d', {
      willReadFrequently: true,
    });
    canvas.drawImage(image, 0, 0);
    return canvas.getImageData(0, 0, image.width, image.height);
  },
})
